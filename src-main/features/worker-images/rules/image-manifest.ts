import { MANIFEST_VERSION, type Manifest, type ManifestResource } from '../../../contract/manifest.ts'
import type { GraphToRelease } from '../../../contract/published.ts'
import type { ImageToDeploy } from '../../../contract/worker-image-routes.ts'
import type { DeployedImage } from '../../../contract/worker-images.ts'
import { plainJson, withoutUndefined } from '../../../lib/json/plain.ts'
import { plainId } from '../../endpoints/rules/ids.ts'
import { imageResource } from './image-resource.ts'

export type ImageRelease = {
  readonly app: string
  readonly image: DeployedImage
  readonly graph: GraphToRelease | undefined
  readonly registryAuth: string | undefined
  readonly settings: ImageToDeploy['settings']
  readonly hash: (text: string) => string
}

// Source: ours; pictures take longer than the default of queues, and their first worker loads models.
const IDLE_S = 300
const NO_TIME = '1980-01-01T00:00:00.000Z'

export const workerResource = (app: string): string => `${plainId(app)}-worker`

export const volumeName = (app: string): string => `${plainId(app)}-models`

export function imageManifest({ app, image, graph, registryAuth, settings, hash }: ImageRelease): Manifest {
  const { lock } = image
  const worker = workerResource(app)
  const resources: Record<string, ManifestResource> = {
    [worker]: imageResource({
      imageName: image.pinned,
      ...(registryAuth === undefined ? {} : { registryAuth }),
      env: lock.environment,
      workflows: { checkModels: true, modelFolders: true },
      fingerprint: hash(image.pinned),
      idleTimeout: IDLE_S,
      ...withoutUndefined(settings),
    }),
    ...(graph === undefined
      ? {}
      : {
          [plainId(app)]: imageResource({
            workersMax: 0,
            functions: [callOf(app, graph)],
            graph: { ...graph, behind: worker },
            fingerprint: hash(JSON.stringify(graph)),
          }),
        }),
  }
  return {
    version: MANIFEST_VERSION,
    app,
    python_version: lock.base.python,
    generated_at: NO_TIME,
    source_fingerprint: hash(JSON.stringify([image.pinned, lock, graph])),
    image_requirements: [],
    resources,
    routes: {},
    function_registry: {},
    image,
  }
}

function callOf(app: string, { parameters }: GraphToRelease): ManifestResource['functions'][number] {
  const example = parameters.flatMap(({ name, default: given }) => {
    const value = given === undefined ? undefined : plainJson(given)
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
    return value !== undefined && isExact ? [[name, value] as const] : []
  })
  return {
    ...{ name: plainId(app), module: 'graph', is_async: false, is_generator: false, is_class: false },
    example: Object.fromEntries(example),
  }
}
