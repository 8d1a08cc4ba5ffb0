import type { AppOperation } from '../../contract/app-routes.ts'
import type { AppHandler } from './app-handler.ts'
import { APP_MANAGEMENT } from './apps.ts'
import { ARTIFACT_OPERATIONS } from './artifacts.ts'
import { ASSET_OPERATIONS } from './assets.ts'
import { CATALOG_OPERATIONS } from './catalog.ts'
import { ENDPOINT_OPERATIONS } from './endpoints.ts'
import { FLEET_EVENT_OPERATIONS } from './fleet-events.ts'
import { JOB_BULK_OPERATIONS } from './job-bulk.ts'
import { JOB_FILE_OPERATIONS } from './job-files.ts'
import { JOB_OPERATIONS } from './jobs.ts'
import { LOAD_TEST_OPERATIONS } from './load-tests.ts'
import { LOG_OPERATIONS } from './logs.ts'
import { MODEL_OPERATIONS } from './models.ts'
import { NODE_TYPE_OPERATIONS } from './node-types.ts'
import { PAGE_OPERATIONS } from './pages.ts'
import { PROJECT_OPERATIONS } from './projects.ts'
import { PUBLISHED_OPERATIONS } from './published.ts'
import { REGISTRY_OPERATIONS } from './registries.ts'
import { RELEASE_OPERATIONS } from './releases.ts'
import { REQUEST_OPERATIONS } from './requests.ts'
import { SAVED_REQUEST_OPERATIONS } from './saved-requests.ts'
import { SERVICE_OPERATIONS } from './service.ts'
import { SHELL_OPERATIONS } from './shells.ts'
import { SYSTEM_OPERATIONS } from './system.ts'
import { WORKER_OPERATIONS } from './workers.ts'
import { RUN_OPERATIONS } from './workflow-runs.ts'
import { WORKFLOW_OPERATIONS } from './workflows.ts'

/** Which code answers which operation of the management API. */
export const APP_OPERATIONS: Readonly<Record<AppOperation, AppHandler>> = {
  ...APP_MANAGEMENT,
  ...ARTIFACT_OPERATIONS,
  ...ASSET_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...FLEET_EVENT_OPERATIONS,
  ...JOB_BULK_OPERATIONS,
  ...JOB_FILE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...LOAD_TEST_OPERATIONS,
  ...LOG_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...NODE_TYPE_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...PUBLISHED_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...SAVED_REQUEST_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...SYSTEM_OPERATIONS,
  ...SHELL_OPERATIONS,
  ...WORKER_OPERATIONS,
  ...RUN_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}
