import type { Context } from 'hono'
import { APP_ROUTES, type AppOperation } from '../../contract/app-routes.ts'
import type { Route } from '../../contract/routes.ts'
import { APP_MANAGEMENT, ARTIFACT_OPERATIONS, RELEASE_OPERATIONS } from '../../features/apps/routes.ts'
import { BATCH_OPERATIONS } from '../../features/batches/routes.ts'
import { COMPARISON_OPERATIONS } from '../../features/comparisons/routes.ts'
import { ENDPOINT_OPERATIONS, VIEW_OPERATIONS } from '../../features/endpoints/routes.ts'
import { JOB_FILE_OPERATIONS } from '../../features/jobs/routes/job-files.ts'
import { JOB_BULK_OPERATIONS, JOB_OPERATIONS } from '../../features/jobs/routes/jobs.ts'
import { REQUEST_OPERATIONS, SAVED_REQUEST_OPERATIONS } from '../../features/jobs/routes/requests.ts'
import type { Caller } from '../../features/keys/keys.ts'
import { KEY_OPERATIONS, SESSION_OPERATIONS } from '../../features/keys/routes.ts'
import { LOAD_TEST_OPERATIONS } from '../../features/load-tests/routes.ts'
import { MACHINE_OPERATIONS } from '../../features/machines/routes.ts'
import { MODEL_OPERATIONS } from '../../features/models/routes.ts'
import { FLEET_EVENT_OPERATIONS, LOG_OPERATIONS, STATISTICS_OPERATIONS } from '../../features/monitoring/routes.ts'
import { PROJECT_OPERATIONS } from '../../features/projects/routes.ts'
import { REGISTRY_OPERATIONS } from '../../features/registries/routes.ts'
import { SCHEDULE_OPERATIONS } from '../../features/schedules/routes.ts'
import type { ServiceContext } from '../../features/service-context.ts'
import { SYSTEM_OPERATIONS } from '../../features/system/routes.ts'
import { TARGET_OPERATIONS } from '../../features/targets/routes.ts'
import { WHAT_IF_OPERATIONS } from '../../features/what-if/routes.ts'
import { SHELL_OPERATIONS, WORKER_OPERATIONS } from '../../features/workers/routes.ts'
import { ASSET_OPERATIONS } from '../../features/workflows/routes/assets.ts'
import { NODE_TYPE_OPERATIONS } from '../../features/workflows/routes/node-types.ts'
import { PUBLISHED_OPERATIONS, RUN_OPERATIONS, WORKFLOW_OPERATIONS } from '../../features/workflows/routes/workflows.ts'
import { audited } from '../../http/audit.ts'
import { type ManagementOperations, shownTo } from '../../http/operation.ts'
import { parseRequest } from '../../http/read-request.ts'
import { SERVICE_OPERATIONS } from './service-routes.ts'

const MANAGEMENT: ManagementOperations = {
  ...APP_MANAGEMENT,
  ...ARTIFACT_OPERATIONS,
  ...ASSET_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...FLEET_EVENT_OPERATIONS,
  ...JOB_BULK_OPERATIONS,
  ...COMPARISON_OPERATIONS,
  ...JOB_FILE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...KEY_OPERATIONS,
  ...LOAD_TEST_OPERATIONS,
  ...LOG_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...NODE_TYPE_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...PUBLISHED_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...SAVED_REQUEST_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...SHELL_OPERATIONS,
  ...TARGET_OPERATIONS,
  ...WHAT_IF_OPERATIONS,
  ...WORKER_OPERATIONS,
  ...RUN_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}

export async function manage(
  name: AppOperation,
  c: Context,
  service: ServiceContext,
  caller: Caller,
): Promise<Response> {
  // Row and operation have the same name, which the compiler cannot see through a variable.
  const operate = MANAGEMENT[name] as (request: object, service: ServiceContext) => unknown
  const row: Route = APP_ROUTES[name]
  const request = { c, caller, ...(await parseRequest(c, row, service)) }
  const answer = await audited(service, { c, caller, operation: name, row, request }, () => operate(request, service))
  await service.storage.durable()
  return answer instanceof Response ? answer : c.json(shownTo(caller, answer))
}
