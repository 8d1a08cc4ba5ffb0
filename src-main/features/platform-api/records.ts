/**
 * Templates, network volumes and registry credentials of the platform's management API. A volume is a folder of the
 * data folder, by name. Source: docs/spec/platform.md, 5.
 */

import type { z } from 'zod'
import { registryCreate } from '../../contract/container.ts'
import { AppError } from '../../contract/errors.ts'
import type {
  NetworkVolume,
  platformRegistryCreate,
  Template,
  templateCreate,
  templateUpdate,
  volumeCreate,
  volumeUpdate,
} from '../../contract/platform.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import { withoutUndefined } from '../../lib/json/plain.ts'
import type { Endpoint, Storage, StoredTemplate, StoredVolume } from '../../storage/storage.ts'
import { listRegistries, putRegistry, registryCredentials, removeRegistry } from '../registries/registries.ts'

export type RecordDeps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

export type PageQuery = { readonly cursor?: string | undefined; readonly limit: number }

export type Page<Item> = {
  readonly items: readonly Item[]
  readonly pagination: { readonly hasNextPage: boolean; readonly nextCursor: string | null }
}

function pageOf<Item>(all: readonly Item[], keyOf: (item: Item) => string, { cursor, limit }: PageQuery): Page<Item> {
  const rest = all.filter((item) => cursor === undefined || keyOf(item) > cursor)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  const hasNextPage = rest.length > items.length && last !== undefined
  return { items, pagination: { hasNextPage, nextCursor: hasNextPage ? keyOf(last) : null } }
}

// Ordered by creation; leading zeros make text order numeric.
const keyOfRecord = ({ createdAt, id }: { readonly createdAt: number; readonly id: string }) =>
  `${String(createdAt).padStart(15, '0')}-${id}`

const viewTemplate = ({ id, name, settings }: StoredTemplate): Template => ({ id, name, ...settings })

export function listTemplates({ platform }: Pick<Storage, 'platform'>, query: PageQuery): Page<Template> {
  const { items, pagination } = pageOf(platform.templates.all(), keyOfRecord, query)
  return { items: items.map(viewTemplate), pagination }
}

export function listPublicTemplates({ platform }: Pick<Storage, 'platform'>): readonly Template[] {
  return platform.templates
    .all()
    .map(viewTemplate)
    .filter((template) => template.public)
}

export function requireTemplate({ platform }: Pick<Storage, 'platform'>, id: string): StoredTemplate {
  const found = platform.templates.get(id)
  if (found === undefined) throw new AppError('TEMPLATE_NOT_FOUND', { templateId: id.slice(0, 100) })
  return found
}

export const readTemplate = (storage: Pick<Storage, 'platform'>, id: string): Template =>
  viewTemplate(requireTemplate(storage, id))

const TEMPLATE_DEFAULTS: Omit<StoredTemplate['settings'], 'image'> = {
  args: '',
  disk: 10,
  env: {},
  ports: [],
  registry: null,
  mounts: {},
  serverless: false,
  public: false,
  category: 'NVIDIA',
  startSsh: true,
  startJupyter: true,
  allowedCudaVersions: [],
}

export async function createTemplate(
  { storage, clock, newId }: RecordDeps,
  { name, ...body }: z.output<typeof templateCreate>,
): Promise<Template> {
  if (body.registry) requireRegistry(storage, body.registry)
  const settings = { ...TEMPLATE_DEFAULTS, ...withoutUndefined(body) }
  const made: StoredTemplate = { id: newId.worker(), name, settings, createdAt: clock.now() }
  await storage.write(() => {
    refuseTaken(storage.platform.templates.all(), 'template', made)
    storage.platform.templates.save(made)
  })
  return viewTemplate(made)
}

export async function updateTemplate(
  { storage }: Pick<RecordDeps, 'storage'>,
  id: string,
  { name, ...body }: z.output<typeof templateUpdate>,
): Promise<Template> {
  if (body.registry) requireRegistry(storage, body.registry)
  return storage.write(() => {
    const before = requireTemplate(storage, id)
    const settings = { ...before.settings, ...withoutUndefined(body) }
    const changed = { ...before, name: name ?? before.name, settings }
    refuseTaken(storage.platform.templates.all(), 'template', changed)
    storage.platform.templates.save(changed)
    return viewTemplate(changed)
  })
}

export function endpointsFromTemplate({ endpoints }: Pick<Storage, 'endpoints'>, id: string): readonly Endpoint[] {
  return endpoints.all().filter(({ config }) => config.platform?.templateId === id)
}

export async function deleteTemplate({ storage }: Pick<RecordDeps, 'storage'>, id: string): Promise<void> {
  await storage.write(() => {
    const { name } = requireTemplate(storage, id)
    refuseUsed({ endpoints: endpointsFromTemplate(storage, id) }, 'template', name)
    storage.platform.templates.remove(id)
  })
}

const viewVolume = ({ id, name, sizeGb: size, dataCenter, type }: StoredVolume): NetworkVolume => ({
  ...{ id, name, size, dataCenter, type },
})

export function listVolumes({ platform }: Pick<Storage, 'platform'>, query: PageQuery): Page<NetworkVolume> {
  const { items, pagination } = pageOf(platform.volumes.all(), keyOfRecord, query)
  return { items: items.map(viewVolume), pagination }
}

function requireVolume({ platform }: Pick<Storage, 'platform'>, id: string): StoredVolume {
  const found = platform.volumes.get(id)
  if (found === undefined) throw new AppError('VOLUME_NOT_FOUND', { volumeId: id.slice(0, 100) })
  return found
}

export const readVolume = (storage: Pick<Storage, 'platform'>, id: string): NetworkVolume =>
  viewVolume(requireVolume(storage, id))

export async function volumeFolder({ platform, artifacts }: Storage, id: string): Promise<string> {
  const volume = platform.volumes.get(id)
  if (volume === undefined)
    throw new AppError('CANNOT_APPLY', { field: 'networkVolumes', why: `there is no volume ${id.slice(0, 100)}` })
  return artifacts.volume(volume.folder)
}

export async function createVolume(
  { storage, clock, newId }: RecordDeps,
  { name, size, dataCenter, type = 'STANDARD' }: z.output<typeof volumeCreate>,
): Promise<NetworkVolume> {
  const id = newId.worker()
  const made = await storage.write(() => {
    const all = storage.platform.volumes.all()
    refuseTaken(all, 'network volume', { id, name })
    // A renamed volume may still use the folder of this name.
    const folder = all.some((other) => other.folder === name) ? `${name} ${id}` : name
    const volume = { id, name, folder, sizeGb: size, dataCenter, type, createdAt: clock.now() }
    storage.platform.volumes.save(volume)
    return volume
  })
  await storage.artifacts.volume(made.folder)
  return viewVolume(made)
}

export function updateVolume(
  { storage }: Pick<RecordDeps, 'storage'>,
  id: string,
  { name, size }: z.output<typeof volumeUpdate>,
): Promise<NetworkVolume> {
  return storage.write(() => {
    const before = requireVolume(storage, id)
    if (size !== undefined && size < before.sizeGb)
      throw new AppError('CANNOT_APPLY', { field: 'size', why: `must not be below ${before.sizeGb}, its size now` })
    const changed = { ...before, name: name ?? before.name, sizeGb: size ?? before.sizeGb }
    refuseTaken(storage.platform.volumes.all(), 'network volume', changed)
    storage.platform.volumes.save(changed)
    return viewVolume(changed)
  })
}

export async function deleteVolume({ storage }: Pick<RecordDeps, 'storage'>, id: string): Promise<void> {
  await storage.write(() => {
    const { name } = requireVolume(storage, id)
    const endpoints = storage.endpoints.all().filter(({ config }) => config.platform?.networkVolumes?.includes(id))
    const pods = storage.pods.all().filter(({ settings }) => settings.networkVolume === id)
    refuseUsed({ endpoints, pods }, 'network volume', name)
    storage.platform.volumes.remove(id)
  })
}

export function listPlatformRegistries(storage: Storage, query: PageQuery) {
  const names = listRegistries(storage).map(({ name }) => ({ id: name, name }))
  return pageOf(names, ({ id }) => id, query)
}

export function readPlatformRegistry(storage: Storage, name: string) {
  requireCredentials(storage, name)
  return { id: name, name }
}

function requireCredentials(storage: Storage, name: string) {
  const found = registryCredentials(storage, name)
  if (found === undefined) throw new AppError('REGISTRY_NOT_FOUND', { name: name.slice(0, 100) })
  return found
}

export async function updatePlatformRegistry(
  { storage, clock }: Omit<RecordDeps, 'newId'>,
  { id, ...user }: { readonly id: string; readonly username: string; readonly password: string },
) {
  await putRegistry({ storage, clock }, { name: id, ...requireCredentials(storage, id), ...user })
  return { id, name: id }
}

export function requireRegistry({ secrets }: Storage, name: string): void {
  if (registryCredentials({ secrets }, name) === undefined)
    throw new AppError('CANNOT_APPLY', { field: 'registry', why: `there are no credentials ${name.slice(0, 100)}` })
}

export async function createPlatformRegistry(
  { storage, clock }: RecordDeps,
  body: z.output<typeof platformRegistryCreate>,
) {
  const parsed = registryCreate.safeParse({ ...body, server: '*' })
  if (!parsed.success)
    throw new AppError('CANNOT_APPLY', { field: 'name', why: parsed.error.issues[0]?.message ?? 'is not valid' })
  const { name } = body
  if (listRegistries(storage).some((other) => other.name === name))
    throw new AppError('NAME_TAKEN', { what: 'registry credential', name })
  await putRegistry({ storage, clock }, parsed.data)
  return { id: name, name }
}

export async function deletePlatformRegistry({ storage }: Pick<RecordDeps, 'storage'>, name: string): Promise<void> {
  const endpoints = storage.endpoints
    .all()
    .filter(({ config }) => config.container?.registryAuth === name || config.platform?.registry === name)
  const pods = storage.pods.all().filter(({ settings }) => settings.registry === name)
  refuseUsed({ endpoints, pods }, 'registry credential', name)
  await removeRegistry(storage, name)
}

type Named = { readonly id: string; readonly name: string }

function refuseTaken(all: readonly Named[], what: string, { id, name }: Named): void {
  if (all.some((other) => other.id !== id && other.name === name)) throw new AppError('NAME_TAKEN', { what, name })
}

type Users = { readonly endpoints: readonly Pick<Endpoint, 'id'>[]; readonly pods?: readonly Named[] }

function refuseUsed({ endpoints, pods = [] }: Users, what: string, name: string): void {
  const users = [
    ...namesOf(
      'endpoint',
      endpoints.map(({ id }) => id),
    ),
    ...namesOf(
      'pod',
      pods.map((pod) => `${pod.name} (${pod.id})`),
    ),
  ]
  if (users.length > 0) throw new AppError('IN_USE', { what, name, users: users.join(' and ') })
}

const namesOf = (what: string, names: readonly string[]) =>
  names.length === 0 ? [] : [`${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`]
