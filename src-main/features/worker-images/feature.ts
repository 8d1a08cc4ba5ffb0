import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { createImagePushes } from './image-pushes.ts'
import { WORKER_IMAGE_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const pushes = createImagePushes(core)
  return { operations: bindOperations(WORKER_IMAGE_OPERATIONS, { ...core, pushes }), stop: pushes.stop }
}
