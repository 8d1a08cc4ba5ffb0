import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { IMAGE_BUILD_OPERATIONS } from './build-routes.ts'
import { createImageBuilds } from './image-builds.ts'
import { createImagePushes } from './image-pushes.ts'
import { WORKER_IMAGE_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const pushes = createImagePushes(core)
  const imageBuilds = createImageBuilds({ ...core, pipeline: core.imagePipeline })
  const operations = { ...WORKER_IMAGE_OPERATIONS, ...IMAGE_BUILD_OPERATIONS }
  return {
    operations: bindOperations(operations, { ...core, pushes, imageBuilds }),
    stop: async () => void (await Promise.all([pushes.stop(), imageBuilds.stop()])),
  }
}
