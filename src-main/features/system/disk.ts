import type { Storage } from '../../storage/storage.ts'
/**
 * Disk usage by kind, and cleaning. Only unused data is removed: nothing of a live job, release or worker, and no
 * volumes, which belong to users.
 */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { DiskKind, DiskUse } from '../../contract/system.ts'
import type { Clock } from '../../lib/clock.ts'
import { counted } from '../../lib/text.ts'
import { DAY_MS } from '../../lib/units.ts'
import type { Fleet, FolderEntry, FolderSize, ServiceHost } from '../../runtimes/port.ts'
import { artifactsInUse, sweepArtifacts } from '../apps/release-source.ts'
import type { Models } from '../models/models.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import { LOG_BATCH, removeArchivedOutputs, SMALL_OUTPUT_BYTES } from './housekeeping.ts'

export type DiskDeps = {
  readonly storage: Storage
  readonly clock: Pick<Clock, 'now' | 'steady'>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly fleet: Pick<Fleet, 'containerHost'>
  readonly host: ServiceHost
  readonly models: Pick<Models, 'folders'>
  readonly folder: () => string
}

// Pages show logs of the last hours; older lines are only searched.
const LOG_RETENTION_MS = DAY_MS
// Outputs are mostly looked at on the same day.
const OUTPUT_RETENTION_MS = DAY_MS
const PACKED = '.tar.gz'

const FILES = {
  database: ['drydock.db', 'drydock.db-wal', 'drydock.db-shm'],
  payloads: ['payloads'],
  logs: ['drydock.log', 'workers'],
  artifacts: ['artifacts', 'unpacked'],
  assets: ['assets'],
  volumes: ['volumes'],
  previews: ['previews'],
} as const satisfies Record<Exclude<DiskKind, 'images' | 'packages' | 'models'>, readonly string[]>

const NOTES: Readonly<Record<DiskKind, string>> = {
  database: 'Jobs, endpoints and log lines. Freed space is reused, so the file does not shrink.',
  payloads:
    'Inputs and outputs above 256 KiB. Each is deleted with the record of its job; the age and size of that history are settings.',
  logs: 'Worker output not yet stored, and the service log. Log lines themselves are in the database.',
  artifacts: 'Code of apps, packed and unpacked. Code that no release and no worker uses is deleted after an hour.',
  assets:
    'Pictures and other files of workflows: results of runs, and files that nodes load. Unused ones are deleted when the limit is reached; it is a setting.',
  models: 'The files in the model folders. Drydock deletes none of them: delete single files on the Models page.',
  packages:
    'Packages that builds have installed for apps whose folders were opened. The three newest sets of each stay; a build installs missing ones again.',
  volumes:
    'Files that workers wrote to network volumes. Drydock deletes none of them: delete folders that you no longer need.',
  previews: 'Data folders of previews. Each is deleted when its preview ends.',
  images: 'Worker images built on this machine. Layers that they share are counted for each.',
}

export async function readDisk(deps: DiskDeps): Promise<readonly DiskUse[]> {
  const { host, folder } = deps
  const ofFiles = async (kind: keyof typeof FILES): Promise<DiskUse> => {
    const { bytes, files } = await host.measure(FILES[kind])
    const clean = await cleanable(deps, kind)
    return {
      kind,
      bytes,
      count: files,
      where: kind === 'database' || kind === 'logs' ? folder() : `${folder()}/${FILES[kind][0]}`,
      note: NOTES[kind],
      ...(clean === undefined ? {} : { clean }),
    }
  }
  const kinds = Object.keys(FILES) as (keyof typeof FILES)[]
  return Promise.all([...kinds.map(ofFiles), modelUse(deps), packageUse(deps), imageUse(deps)])
}

/**
 * @returns approximate bytes freed
 * @throws AppError NOT_DONE with the reason
 */
export async function cleanDisk(deps: DiskDeps, kind: DiskKind): Promise<number> {
  const use = async () => (await readDisk(deps)).find((one) => one.kind === kind)
  const before = await use()
  if (before?.clean === undefined) throw new AppError('NOT_DONE', { why: 'there is nothing of this kind to clean up' })
  try {
    await CLEANERS[kind]?.(deps)
  } catch (error) {
    throw new AppError('NOT_DONE', { why: (error as Error).message.replace(/\.$/, '') })
  }
  // Lines and small outputs free space inside the database, invisible in files.
  if (kind === 'logs' || kind === 'payloads') return before.clean.bytes
  return Math.max(0, before.bytes - ((await use())?.bytes ?? 0))
}

const CLEANERS: Readonly<Partial<Record<DiskKind, (deps: DiskDeps) => Promise<void>>>> = {
  async logs({ storage, clock, host }) {
    const before = clock.now() - LOG_RETENTION_MS
    while ((await storage.write(() => storage.logs.trim(before, LOG_BATCH))) === LOG_BATCH);
    await host.emptyLog()
  },
  async payloads({ storage, clock }) {
    await removeArchivedOutputs({ storage, clock }, clock.steady() - OUTPUT_RETENTION_MS)
  },
  artifacts: sweepArtifacts,
  previews: ({ host }) => host.removePreviews(),
  images: async ({ fleet }) => fleet.containerHost?.removeOldImages(),
}

async function cleanable(deps: DiskDeps, kind: DiskKind): Promise<DiskUse['clean']> {
  const { storage, clock, host } = deps
  if (kind === 'logs') {
    const { lines, bytes } = storage.logs.olderThan(clock.now() - LOG_RETENTION_MS)
    const own = await host.measure(['drydock.log'])
    if (lines === 0 && own.bytes === 0) return undefined
    const effect = `Deletes ${counted(lines, 'log line')} older than a day, and empties the log of the service.`
    return { bytes: bytes + own.bytes, effect }
  }
  if (kind === 'payloads') {
    const { count, bytes } = storage.archive.outputsUpTo(clock.steady() - OUTPUT_RETENTION_MS, SMALL_OUTPUT_BYTES)
    if (count === 0) return undefined
    const effect = `Deletes the outputs of ${counted(count, 'job')} that expired for the job API more than a day ago. Their records and inputs stay.`
    return { bytes, effect }
  }
  if (kind === 'artifacts') {
    const unused = await unusedArtifacts(deps)
    if (unused.length === 0) return undefined
    const effect = `Deletes ${counted(unused.length, 'file')} and folders of apps that no release and no worker uses.`
    return { bytes: total(unused), effect }
  }
  if (kind === 'previews') {
    const { folders, bytes } = await host.leftPreviews()
    if (folders === 0) return undefined
    return { bytes, effect: `Deletes ${counted(folders, 'folder')} of previews that were killed, with their workers.` }
  }
  return undefined
}

async function unusedArtifacts(deps: DiskDeps): Promise<readonly FolderEntry[]> {
  const { artifacts, unpacked } = artifactsInUse(deps)
  const [packed, folders] = await Promise.all(['artifacts', 'unpacked'].map((name) => deps.host.list(name)))
  const isOld = ({ changedAt }: FolderEntry) => changedAt < deps.clock.now() - limit('artifactUnusedMs')
  const isUnused = ({ name }: FolderEntry) => name.endsWith(PACKED) && !artifacts.has(name.slice(0, -PACKED.length))
  return [
    ...(packed ?? []).filter(isUnused).filter(isOld),
    ...(folders ?? []).filter(({ name }) => !unpacked.has(name)).filter(isOld),
  ]
}

async function modelUse({ models }: DiskDeps): Promise<DiskUse> {
  const { folders } = await models.folders()
  const fault = folders.find((folder) => folder.fault !== undefined && !folder.isDefault)
  return {
    kind: 'models',
    bytes: folders.reduce((sum, { bytes }) => sum + bytes, 0),
    count: folders.reduce((sum, { files }) => sum + files, 0),
    where: folders.map(({ path }) => path).join(', '),
    note: NOTES.models,
    ...(fault === undefined ? {} : { fault: `${fault.path}: ${fault.fault}` }),
  }
}

// Next to the source, so that they are removed with it.
async function packageUse({ storage, host }: DiskDeps): Promise<DiskUse> {
  const folders = storage.projects.all().map(({ folder }) => `${folder}/.svc/packages`)
  const { bytes, files } = await host.measure(folders)
  return { kind: 'packages', bytes, count: files, where: '.svc/packages in the folders of apps', note: NOTES.packages }
}

async function imageUse({ fleet }: DiskDeps): Promise<DiskUse> {
  const common = { kind: 'images', where: 'the Docker engine', note: NOTES.images } as const
  try {
    const images = (await fleet.containerHost?.images()) ?? []
    const old = images.filter((image) => image.old)
    const effect = `Removes ${old.map(({ name }) => name).join(', ')}. Images that a container uses stay.`
    return {
      ...common,
      bytes: total(images),
      count: images.length,
      ...(old.length === 0 ? {} : { clean: { bytes: total(old), effect } }),
    }
  } catch (error) {
    return { ...common, bytes: 0, fault: (error as Error).message }
  }
}

const total = (images: readonly Pick<FolderSize, 'bytes'>[]) => images.reduce((sum, { bytes }) => sum + bytes, 0)
