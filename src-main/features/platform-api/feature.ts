import { bindOperations } from '../../http/operation.ts'
import { readManifest } from '../apps/adapters/unpack-artifact.ts'
import { unpackInThread } from '../apps/adapters/unpack-in-thread.ts'
import { createFindEndpoint } from '../apps/environment-endpoints.ts'
import type { FeatureCore } from '../service-context.ts'
import { createPlatformDeploys } from './deploys.ts'
import { createPlatformOperations } from './routes/routes.ts'
import { SIGN_IN_OPERATIONS } from './routes/sign-in.ts'
import { createStateManager } from './routes/state-manager/state-manager.ts'
import { createTaskCalls } from './routes/task-calls.ts'
import { createSignInRequests } from './sign-in-requests.ts'
import { createUploads } from './uploads.ts'

export function openFeature(core: FeatureCore) {
  const uploads = createUploads(core.storage, core.clock, core.newId)
  const signInRequests = createSignInRequests(core.clock, core.newId, core.accountKey)
  const platformDeploys = createPlatformDeploys({ ...core, unpack: unpackInThread, readManifest })
  const services = { ...core, uploads, signInRequests, platformDeploys }
  return {
    operations: bindOperations(SIGN_IN_OPERATIONS, services),
    operate: createPlatformOperations(core),
    stateManager: createStateManager(services, createFindEndpoint(core)),
    tasks: createTaskCalls(core),
    uploads,
  }
}
