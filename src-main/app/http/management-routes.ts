import type { Context } from 'hono'
import { APP_ROUTES, type AppOperation } from '../../contract/app-routes.ts'
import type { Route } from '../../contract/routes.ts'
import { APP_MANAGEMENT, ARTIFACT_OPERATIONS, RELEASE_OPERATIONS } from '../../features/apps/routes.ts'
import { BATCH_OPERATIONS } from '../../features/batches/routes/batches.ts'
import { ENDPOINT_OPERATIONS, VIEW_OPERATIONS } from '../../features/endpoints/routes.ts'
import { JOB_FILE_OPERATIONS } from '../../features/jobs/routes/job-files.ts'
import { JOB_BULK_OPERATIONS, JOB_OPERATIONS } from '../../features/jobs/routes/jobs.ts'
import { REQUEST_OPERATIONS, SAVED_REQUEST_OPERATIONS } from '../../features/jobs/routes/requests.ts'
import type { Caller } from '../../features/keys/keys.ts'
import { KEY_OPERATIONS, SESSION_OPERATIONS } from '../../features/keys/routes.ts'
import { MACHINE_OPERATIONS } from '../../features/machines/routes.ts'
import { MODEL_OPERATIONS } from '../../features/models/routes.ts'
import { FLEET_EVENT_OPERATIONS, LOG_OPERATIONS, STATISTICS_OPERATIONS } from '../../features/monitoring/routes.ts'
import { REGISTRY_OPERATIONS } from '../../features/registries/routes.ts'
import type { ServiceContext } from '../../features/service-context.ts'
import { SYSTEM_OPERATIONS } from '../../features/system/routes.ts'
import { SHELL_OPERATIONS, WORKER_OPERATIONS } from '../../features/workers/routes/workers.ts'
import { ASSET_OPERATIONS } from '../../features/workflows/routes/assets.ts'
import { NODE_TYPE_OPERATIONS } from '../../features/workflows/routes/node-types.ts'
import { PUBLISHED_OPERATIONS, RUN_OPERATIONS, WORKFLOW_OPERATIONS } from '../../features/workflows/routes/workflows.ts'
import { answerAudited } from '../../http/audit.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import { parseRequest } from '../../http/read-request.ts'
import type { Core } from '../core.ts'
import type { OptionalOperation } from '../optional-features.ts'
import { SERVICE_OPERATIONS } from './service-routes.ts'

const MANAGEMENT: Omit<ManagementOperations, OptionalOperation> = {
  ...APP_MANAGEMENT,
  ...ARTIFACT_OPERATIONS,
  ...ASSET_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...FLEET_EVENT_OPERATIONS,
  ...JOB_BULK_OPERATIONS,
  ...JOB_FILE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...KEY_OPERATIONS,
  ...LOG_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...NODE_TYPE_OPERATIONS,
  ...PUBLISHED_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...SAVED_REQUEST_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...SHELL_OPERATIONS,
  ...WORKER_OPERATIONS,
  ...RUN_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}

const isOptional = (name: AppOperation): name is OptionalOperation => !(name in MANAGEMENT)

export async function manage(
  name: AppOperation,
  c: Context,
  { service, features }: Pick<Core, 'service' | 'features'>,
  caller: Caller,
): Promise<Response> {
  const row: Route = APP_ROUTES[name]
  const request = { c, caller, ...(await parseRequest(c, row, service)) }
  const operate = isOptional(name)
    ? () => features.operate(name, request)
    : // Row and operation have the same name, which TypeScript cannot infer through a variable.
      () => (MANAGEMENT[name] as (request: object, service: ServiceContext) => unknown)(request, service)
  return answerAudited(service, { c, caller, operation: name, row, request }, operate)
}
