import { type ManifestResource, manifestResource } from '../../../contract/manifest.ts'

/** An endpoint of an app whose workers run an image; what is not given is as for other apps. */
export function imageResource(more: Partial<ManifestResource>): ManifestResource {
  return manifestResource.parse({
    is_load_balanced: false,
    workersMin: 0,
    workersMax: 1,
    gpuCount: 1,
    env: {},
    functions: [],
    idleTimeout: 60,
    scalerType: 'QUEUE_DELAY',
    scalerValue: 4,
    executionTimeoutMs: 0,
    maxConcurrency: 1,
    makesRemoteCalls: false,
    networkVolumes: [],
    systemDependencies: [],
    ...more,
  })
}
