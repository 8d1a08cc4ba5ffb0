import { MANIFEST_VERSION, type Manifest } from '../../../contract/manifest.ts'

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

/** An app with one endpoint, whose workers run an image. The defaults are those of apps. */
export function workerManifest({ app, image, imageId, env, gpu, gpuCount, diskBytes }: WorkerApp): Manifest {
  return {
    version: MANIFEST_VERSION,
    app,
    python_version: '3.11',
    generated_at: new Date(0).toISOString(),
    source_fingerprint: imageId.replace(/^sha256:/, ''),
    image_requirements: [],
    resources: {
      [app]: {
        is_load_balanced: false,
        imageName: image,
        workersMin: 0,
        workersMax: 1,
        ...(gpu === undefined ? {} : { gpuIds: gpu }),
        gpuCount: gpuCount ?? 1,
        ...(diskBytes === undefined ? {} : { diskBytes }),
        env: { ...env },
        functions: [],
        idleTimeout: 60,
        scalerType: 'QUEUE_DELAY',
        scalerValue: 4,
        executionTimeoutMs: 0,
        maxConcurrency: 1,
        makesRemoteCalls: false,
        networkVolumes: [],
        systemDependencies: [],
      },
    },
    routes: {},
    function_registry: {},
  }
}
