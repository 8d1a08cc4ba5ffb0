import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { createPods } from './pods.ts'
import { POD_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const pods = createPods(core)
  return { operations: bindOperations(POD_OPERATIONS, { ...core, pods }), start: pods.start, stop: pods.stop }
}
