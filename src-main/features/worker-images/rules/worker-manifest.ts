import { MANIFEST_VERSION, type Manifest } from '../../../contract/manifest.ts'
import { imageResource } from './image-resource.ts'

export type WorkerApp = {
  readonly app: string
  readonly image: string
  readonly imageId: string
  readonly env: Readonly<Record<string, string>>
  readonly gpu: string | undefined
  readonly gpuCount: number | undefined
  readonly diskBytes: number | undefined
}

export const versionOfImage = (imageId: string): string => imageId.replace(/^sha256:/, '').slice(0, 12)

export function workerManifest({ app, image, imageId, env, gpu, gpuCount, diskBytes }: WorkerApp): Manifest {
  return {
    version: MANIFEST_VERSION,
    app,
    python_version: '3.11',
    generated_at: new Date(0).toISOString(),
    source_fingerprint: imageId.replace(/^sha256:/, ''),
    image_requirements: [],
    resources: {
      [app]: imageResource({
        imageName: image,
        ...(gpu === undefined ? {} : { gpuIds: gpu }),
        gpuCount: gpuCount ?? 1,
        ...(diskBytes === undefined ? {} : { diskBytes }),
        env: { ...env },
      }),
    },
    routes: {},
    function_registry: {},
  }
}
