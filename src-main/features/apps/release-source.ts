import { z } from 'zod'
import type { GitState, ReleaseSource } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { MANIFEST_FILE, type Manifest, manifest, storedManifest } from '../../contract/manifest.ts'
import { PLATFORM_MANIFEST_FILE, type PlatformManifest, platformManifest } from '../../contract/platform-manifest.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ArtifactFiles, Environment, Release, Storage } from '../../storage/storage.ts'
import { readObject } from '../jobs/rules/read-object.ts'
import { fromPlatformManifest, isPlatformManifest } from '../platform-api/rules/manifest.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import { endpointsOf } from './environment-endpoints.ts'
import type { ReadManifest, UnpackArtifact } from './ports/artifacts.ts'

export type OpenedSource = Pick<Release, 'artifact' | 'rollbackOf' | 'kind' | 'git'> & {
  readonly folder: string
  readonly code: string
  readonly manifest: Manifest
  readonly text: string
}

export type OpenSourceDeps = {
  readonly storage: Pick<Storage, 'apps' | 'artifacts'>
  readonly unpack: UnpackArtifact
  readonly readManifest: ReadManifest
}

type Where = Pick<Release, 'artifact' | 'folder' | 'rollbackOf' | 'kind' | 'git'> & {
  readonly text?: string
}

export type BuiltSource = { readonly artifact: string; readonly manifest: string }

const NO_FOLDER = ''

const PROBLEMS_TOLD = 10
const NEW = { rollbackOf: null, kind: 'deploy', git: null } as const

export function locateSource(
  { apps }: Pick<Storage, 'apps'>,
  environment: Environment,
  source: ReleaseSource | BuiltSource,
): Where {
  if ('manifest' in source) return { artifact: source.artifact, folder: null, text: source.manifest, ...NEW }
  if ('artifact' in source) return { artifact: source.artifact, folder: null, ...NEW }
  if ('image' in source) return { artifact: null, folder: NO_FOLDER, text: JSON.stringify(source.image), ...NEW }
  if ('folder' in source) return { artifact: null, folder: source.folder, ...NEW }
  const { app, name } = environment
  if ('active' in source) {
    const active = apps.releaseIn(environment.id, 'active')
    if (active === undefined) throw new AppError('NOT_DEPLOYED', { endpoint: '(all)', app, environment: name })
    const { folder, rollbackOf, git } = active
    return { ...released(active), folder, rollbackOf, kind: 'variables', git }
  }
  const release = apps.release(environment.id, source.release)
  // The active release needs no rollback. A failed one may be retried: what it lacked may be there now.
  if (release?.state !== 'superseded' && release?.state !== 'failed')
    throw new AppError('RELEASE_NOT_FOUND', { number: source.release, app, environment: name })
  const { folder, rollbackOf, git } = release
  return { ...released(release), folder, rollbackOf: rollbackOf ?? release.number, kind: 'rollback', git }
}

// A folder may contain another app by now; artifacts never change and keep their manifest.
function released({ artifact, folder, manifest: text }: Release): Pick<Where, 'artifact' | 'text'> {
  return artifact === null && folder !== NO_FOLDER ? { artifact } : { artifact, text }
}

/**
 * Makes code available locally and reads its manifest.
 * @throws AppError ARTIFACT_NOT_FOUND; BAD_FIELD for a missing or invalid manifest
 */
export async function openSource(deps: OpenSourceDeps, where: Where, signal: AbortSignal): Promise<OpenedSource> {
  const { artifact, rollbackOf, kind, git } = where
  const folder = artifact === null ? (where.folder ?? '') : await unpackedFolder(deps, artifact, signal)
  const found = where.text ?? (await deps.readManifest(folder))
  if (found === undefined)
    throw new AppError('BAD_FIELD', { field: 'source', why: `there is no ${MANIFEST_FILE} in ${folder}` })
  const read = where.text === undefined ? parseManifest(found, artifact ?? undefined) : readStoredManifest(where.text)
  const text = isPlatformManifest(JSON.parse(found)) ? JSON.stringify(read) : found
  return { artifact, rollbackOf, kind, git, folder, text, manifest: read, code: artifact ?? read.source_fingerprint }
}

export async function unpackedFolder(
  { storage, unpack, readManifest }: OpenSourceDeps,
  artifact: string,
  signal: AbortSignal,
): Promise<string> {
  const folder = await storage.artifacts.unpackedFolder(artifact)
  if ((await readManifest(folder)) !== undefined) return folder
  const file = await storage.artifacts.find(artifact)
  if (file === undefined) throw new AppError('ARTIFACT_NOT_FOUND', { artifact })
  try {
    await unpack(file, folder, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) throw error
    throw new AppError('BAD_FIELD', { field: 'source', why: (error as Error).message }, { cause: error })
  }
  return folder
}

export function gitOf({ git }: Pick<Release, 'git'>): GitState | undefined {
  return git === null ? undefined : (JSON.parse(git) as GitState)
}

/**
 * Parses a manifest, ours or of SDK 2.0.
 * @param artifact its artifact, which SDK 2.0 does not name
 * @throws AppError BAD_FIELD
 */
export function parseManifest(text: string, artifact = ''): Manifest {
  const read = readObject({ text, scanned: text }, limit('settingValues'))
  if ('code' in read) throw new AppError('BAD_FIELD', { field: MANIFEST_FILE, why: read.why })
  const { value } = read
  if (isPlatformManifest(value)) return fromPlatformManifest(parsePlatformManifest(value), artifact)
  const { data, error } = manifest.safeParse(value)
  if (data === undefined) throw new AppError('BAD_FIELD', { field: MANIFEST_FILE, why: firstProblems(error) })
  return data
}

/** Reads a manifest of the database. Limits of today do not apply, because it was accepted before. */
export function readStoredManifest(text: string): Manifest {
  return storedManifest.parse(JSON.parse(text))
}

function parsePlatformManifest(value: unknown): PlatformManifest {
  const { data, error } = platformManifest.safeParse(value)
  if (data === undefined) throw new AppError('BAD_FIELD', { field: PLATFORM_MANIFEST_FILE, why: firstProblems(error) })
  return data
}

const firstProblems = ({ issues }: z.ZodError) => z.prettifyError({ issues: issues.slice(0, PROBLEMS_TOLD) })

type Deps = {
  readonly storage: Storage
  readonly clock: Pick<Clock, 'now'>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
}

export async function sweepArtifacts(deps: Deps): Promise<void> {
  const inUse = artifactsInUse(deps)
  await deps.storage.durable() // after a power cut a just deleted release could return without its code
  await deps.storage.artifacts.sweep(inUse, deps.clock.now())
}

export function artifactsInUse(deps: Omit<Deps, 'clock'>): Parameters<ArtifactFiles['sweep']>[0] {
  const { storage } = deps
  const running = storage.endpoints.all().flatMap(({ config: { app } }) => app?.code ?? [])
  const preparing = storage.apps.preparing().flatMap(({ artifact }) => artifact ?? [])
  const lastJobs = storage.apps.environments().flatMap((environment) => artifactsOfWorkers(deps, environment))
  const unpacked = new Set([...running, ...preparing, ...lastJobs])
  return { artifacts: storage.apps.artifacts(), unpacked }
}

/** Releases whose workers may still live: an older worker may run its last job for days and import lazily. */
function artifactsOfWorkers({ storage, registry }: Omit<Deps, 'clock'>, environment: Environment): readonly string[] {
  const workers = endpointsOf(storage, environment).flatMap(({ id }) => registry.ofEndpoint(id))
  if (workers.length === 0) return []
  const oldest = Math.min(...workers.map(({ startedWallAt }) => startedWallAt))
  return storage.apps
    .releases(environment.id, limit('releasesKept'))
    .flatMap(({ artifact, endedAt }) => (artifact !== null && (endedAt ?? oldest) >= oldest ? [artifact] : []))
}
