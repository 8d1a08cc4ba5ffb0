import type { Manifest, ManifestResource } from '../../../contract/manifest.ts'
import { plainId } from '../../endpoints/rules/ids.ts'
import type { SavedInput } from '../../platform-api/rules/saved-endpoint.ts'
import { diskGbFor } from '../../worker-images/rules/plan-image.ts'
import { scalingOf } from './plan-target.ts'

type Place = { readonly app: string; readonly environment: string }

export const endpointName = ({ app, environment }: Place): string => `${plainId(app)}-${plainId(environment)}`

export function imageResourceOf({ resources }: Pick<Manifest, 'resources'>): {
  readonly resource: string
  readonly settings: ManifestResource
} {
  const [found] = Object.entries(resources).filter(([, { imageName }]) => imageName !== undefined)
  if (found === undefined) throw new Error('the manifest has no image')
  const [resource, settings] = found
  return { resource, settings }
}

export const mountedIn = ({ image }: Pick<Manifest, 'image'>) =>
  (image?.lock.models ?? []).filter(({ delivery }) => delivery === 'mounted')

export function imageSaveOf(
  place: Place,
  resource: ManifestResource,
  there: {
    readonly registry?: string | undefined
    readonly volume?: string | undefined
    readonly sizeBytes?: number | undefined
  },
): SavedInput {
  const { gpuIds, instanceIds } = resource
  const { registry, volume, sizeBytes } = there
  return {
    name: endpointName(place),
    type: 'QB',
    ...scalingOf(resource),
    ...(gpuIds === undefined ? {} : { gpuIds, gpuCount: resource.gpuCount }),
    ...(instanceIds === undefined ? {} : { instanceIds }),
    ...(volume === undefined ? {} : { networkVolumeIds: [{ networkVolumeId: volume }] }),
    template: {
      imageName: resource.imageName ?? '',
      env: Object.entries(resource.env).map(([key, value]) => ({ key, value })),
      ...(sizeBytes === undefined ? {} : { containerDiskInGb: diskGbFor(sizeBytes) }),
      ...(registry === undefined ? {} : { containerRegistryAuthId: registry }),
    },
  }
}
