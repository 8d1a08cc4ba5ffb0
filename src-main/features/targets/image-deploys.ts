/**
 * Deploys worker images through the platform's management API: registry credentials, network volume, template, endpoint.
 * Nothing changes what serves there before the last two. Source: docs/spec/worker-images.md, 5.
 */
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import { networkVolume, platformEndpoint, platformRegistry, template } from '../../contract/platform.ts'
import type { TargetEndpoint } from '../../contract/targets.ts'
import type { Storage, TargetPlace } from '../../storage/storage.ts'
import { createOf, updateOf } from '../platform-api/rules/saved-endpoint.ts'
import { registryCredentials } from '../registries/registries.ts'
import { volumeName } from '../worker-images/rules/image-manifest.ts'
import { volumeGbFor } from '../worker-images/rules/plan-image.ts'
import { viewEndpoint } from './read-target.ts'
import { endpointName, imageResourceOf, imageSaveOf, mountedIn } from './rules/image-save.ts'
import { planTarget } from './rules/plan-target.ts'
import type { DeployNews } from './run-deploy.ts'
import type { TargetClient } from './target-client.ts'

type Named = { readonly name: string }

const pagination = z.object({ hasNextPage: z.boolean(), nextCursor: z.string().nullable() }).optional()

const endpoints = z.object({ endpoints: z.array(platformEndpoint), pagination })
const templates = z.object({ templates: z.array(template), pagination })
const volumes = z.object({ networkVolumes: z.array(networkVolume), pagination })
const registries = z.object({ registries: z.array(platformRegistry), pagination })
const dataCenters = z.object({ dataCenters: z.array(z.object({ id: z.string() })) })

async function findNamed<Page extends { readonly pagination?: z.infer<typeof pagination> }, Row extends Named>(
  client: TargetClient,
  path: string,
  schema: z.ZodType<Page>,
  { rows, name }: { readonly rows: (page: Page) => readonly Row[]; readonly name: string },
): Promise<Row | undefined> {
  let cursor: string | null | undefined
  do {
    const page = await client.rest('GET', cursor ? `${path}?cursor=${encodeURIComponent(cursor)}` : path, schema)
    const found = page && rows(page).find((one) => one.name === name)
    if (found !== undefined) return found
    cursor = page?.pagination?.nextCursor
  } while (cursor)
  return undefined
}

const findEndpoint = (client: TargetClient, place: TargetPlace) =>
  findNamed(client, '/serverless', endpoints, { rows: (page) => page.endpoints, name: endpointName(place) })

const findTemplate = (client: TargetClient, name: string) =>
  findNamed(client, '/templates', templates, { rows: (page) => page.templates, name })

export async function planImageOn(
  client: TargetClient,
  place: TargetPlace,
  { manifest, before }: { readonly manifest: Manifest; readonly before: string | undefined },
) {
  const { resource, settings } = imageResourceOf(manifest)
  const there = await findEndpoint(client, place)
  const saves = new Map([[resource, imageSaveOf(place, settings, {})]])
  const code = { from: before, to: manifest.source_fingerprint }
  const found = there === undefined ? [] : [{ resource, view: there }]
  return { app: place.app, environment: place.environment, makes: [], steps: [...planTarget(found, saves, code)] }
}

/**
 * @returns the image that the endpoint has now, and the endpoint
 * @throws AppError TARGET_UNREACHABLE, TARGET_REFUSED, REGISTRY_NOT_FOUND
 */
export async function runImageDeploy(
  storage: Pick<Storage, 'secrets'>,
  client: TargetClient,
  { place, manifest }: { readonly place: TargetPlace; readonly manifest: Manifest },
  { change, step, line }: DeployNews,
): Promise<{ readonly build: string; readonly endpoints: readonly TargetEndpoint[] }> {
  const { resource, settings } = imageResourceOf(manifest)
  step(resource, { state: 'starting' })
  const registry = settings.registryAuth && (await keepRegistry(storage, client, settings.registryAuth))
  const volume = await keepVolume(client, place, { manifest, line })
  const save = imageSaveOf(place, settings, {
    registry,
    volume,
    sizeBytes: manifest.image?.sizeBytes,
  })
  change({ phase: 'activate' })
  const { name, image, env, disk, registry: auth } = createOf(save)
  const templateId = await keepTemplate(client, { name, image, env, disk, registry: auth, serverless: true })
  const before = await findEndpoint(client, place)
  const endpoint =
    before === undefined
      ? await client.rest('POST', '/serverless', platformEndpoint, { ...createOf(save), templateId })
      : await client.rest('PATCH', `/serverless/${encodeURIComponent(before.id)}`, platformEndpoint, updateOf(save))
  if (endpoint === undefined)
    throw new AppError('TARGET_REFUSED', { url: client.url, why: 'the endpoint was deleted.' })
  change({ phase: 'wait' })
  return { build: settings.imageName ?? '', endpoints: [await viewEndpoint(client, { resource, view: endpoint })] }
}

export async function undeployImage(client: TargetClient, place: TargetPlace): Promise<readonly string[]> {
  const endpoint = await findEndpoint(client, place)
  if (endpoint !== undefined)
    await client.rest('DELETE', `/serverless/${encodeURIComponent(endpoint.id)}`, z.undefined())
  const made = await findTemplate(client, endpointName(place))
  if (made !== undefined) await client.rest('DELETE', `/templates/${encodeURIComponent(made.id)}`, z.undefined())
  return endpoint === undefined ? [] : [endpoint.name]
}

async function keepRegistry(storage: Pick<Storage, 'secrets'>, client: TargetClient, name: string): Promise<string> {
  const credentials = registryCredentials(storage, name)
  if (credentials === undefined) throw new AppError('REGISTRY_NOT_FOUND', { name })
  const { username, password } = credentials
  const known = await findNamed(client, '/registries', registries, { rows: (page) => page.registries, name })
  return (
    known?.id ?? idOf(client, await client.rest('POST', '/registries', platformRegistry, { name, username, password }))
  )
}

async function keepVolume(
  client: TargetClient,
  { app }: TargetPlace,
  { manifest, line }: { readonly manifest: Manifest; readonly line: DeployNews['line'] },
): Promise<string | undefined> {
  const mounted = mountedIn(manifest)
  if (mounted.length === 0) return undefined
  const name = volumeName(app)
  const known = await findNamed(client, '/network-volumes', volumes, { rows: (page) => page.networkVolumes, name })
  if (known !== undefined) return known.id
  const dataCenter = (await client.rest('GET', '/catalog/datacenters', dataCenters))?.dataCenters[0]
  if (dataCenter === undefined)
    throw new AppError('TARGET_REFUSED', { url: client.url, why: 'it lists no data center.' })
  const body = { name, size: volumeGbFor(mounted), dataCenter: dataCenter.id }
  const made = idOf(client, await client.rest('POST', '/network-volumes', networkVolume, body))
  line(`Created the network volume ${name} with ${body.size} GB in ${dataCenter.id}.`)
  return made
}

async function keepTemplate(client: TargetClient, body: Named & Record<string, unknown>): Promise<string> {
  const known = await findTemplate(client, body.name)
  const path = known === undefined ? '/templates' : `/templates/${encodeURIComponent(known.id)}`
  return idOf(client, await client.rest(known === undefined ? 'POST' : 'PATCH', path, template, body))
}

function idOf({ url }: TargetClient, made: { readonly id: string } | undefined): string {
  if (made === undefined) throw new AppError('TARGET_REFUSED', { url, why: 'it does not list what was just created.' })
  return made.id
}
