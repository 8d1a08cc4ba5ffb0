import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { sendToTarget } from './adapters/target-requests.ts'
import { createTargetDeploys } from './deploys.ts'
import { TARGET_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const services = { ...core, send: sendToTarget }
  const targetDeploys = createTargetDeploys(services)
  return { operations: bindOperations(TARGET_OPERATIONS, { ...services, targetDeploys }), stop: targetDeploys.stop }
}
