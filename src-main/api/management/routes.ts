import type { AppOperation } from '../../contract/app-routes.ts'
import type { AppHandler } from './app-handler.ts'
import { APP_MANAGEMENT } from './apps.ts'
import { ARTIFACT_OPERATIONS } from './artifacts.ts'
import { ENDPOINT_OPERATIONS } from './endpoints.ts'
import { JOB_OPERATIONS } from './jobs.ts'
import { LOG_OPERATIONS } from './logs.ts'
import { PAGE_OPERATIONS } from './pages.ts'
import { REGISTRY_OPERATIONS } from './registries.ts'
import { RELEASE_OPERATIONS } from './releases.ts'
import { REQUEST_OPERATIONS } from './requests.ts'
import { SERVICE_OPERATIONS } from './service.ts'

/** Which code answers which operation of the management API. */
export const APP_OPERATIONS: Readonly<Record<AppOperation, AppHandler>> = {
  ...APP_MANAGEMENT,
  ...ARTIFACT_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...JOB_OPERATIONS,
  ...LOG_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...SERVICE_OPERATIONS,
}
