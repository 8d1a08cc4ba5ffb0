import { z } from 'zod'
import type { GitState, ReleaseSource } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import { MANIFEST_FILE, type Manifest, manifest } from '../../contract/manifest.ts'
import type { Environment, ReadManifest, Release, UnpackArtifact } from '../ports/apps.ts'
import type { Storage } from '../ports.ts'

/** Code that can be released: on this machine, with its manifest. */
export type OpenedSource = Pick<Release, 'artifact' | 'rollbackOf' | 'kind' | 'git'> & {
  readonly folder: string
  /** See AppMembership. */
  readonly code: string
  readonly manifest: Manifest
  /** The manifest as it was read. */
  readonly text: string
}

/** What opening a source needs. */
export type OpenSourceDeps = {
  readonly storage: Pick<Storage, 'apps' | 'artifacts'>
  readonly unpack: UnpackArtifact
  readonly readManifest: ReadManifest
}

type Where = Pick<Release, 'artifact' | 'folder' | 'rollbackOf' | 'kind' | 'git'>

const NEW = { rollbackOf: null, kind: 'deploy', git: null } as const

/**
 * Which artifact or folder a source means.
 * @throws AppError RELEASE_NOT_FOUND, NOT_DEPLOYED
 */
export function locateSource({ apps }: Pick<Storage, 'apps'>, environment: Environment, source: ReleaseSource): Where {
  if ('artifact' in source) return { artifact: source.artifact, folder: null, ...NEW }
  if ('folder' in source) return { artifact: null, folder: source.folder, ...NEW }
  const { app, name } = environment
  if ('active' in source) {
    const active = apps.releaseIn(environment.id, 'active')
    if (active === undefined) throw new AppError('NOT_DEPLOYED', { endpoint: '(all)', app, environment: name })
    const { artifact, folder, rollbackOf, git } = active
    return { artifact, folder, rollbackOf, kind: 'variables', git }
  }
  const release = apps.release(environment.id, source.release)
  // The active one needs no way back. One that failed is tried again: what it lacked may be there by now.
  if (release?.state !== 'superseded' && release?.state !== 'failed')
    throw new AppError('RELEASE_NOT_FOUND', { number: source.release, app, environment: name })
  const { artifact, folder, rollbackOf, git } = release
  return { artifact, folder, rollbackOf: rollbackOf ?? release.number, kind: 'rollback', git }
}

/**
 * Brings the code into a folder of this machine, where it may be already, and reads its manifest.
 * @throws AppError ARTIFACT_NOT_FOUND; BAD_FIELD where there is no manifest, or a bad one
 */
export async function openSource(deps: OpenSourceDeps, where: Where, signal: AbortSignal): Promise<OpenedSource> {
  const { artifact, rollbackOf, kind, git } = where
  const folder = artifact === null ? (where.folder ?? '') : await unpacked(deps, artifact, signal)
  const text = await deps.readManifest(folder)
  if (text === undefined)
    throw new AppError('BAD_FIELD', { field: 'source', why: `there is no ${MANIFEST_FILE} in ${folder}` })
  const read = parseManifest(text)
  return { artifact, rollbackOf, kind, git, folder, text, manifest: read, code: artifact ?? read.source_fingerprint }
}

async function unpacked({ storage, unpack, readManifest }: OpenSourceDeps, artifact: string, signal: AbortSignal) {
  const folder = await storage.artifacts.unpackedFolder(artifact)
  if ((await readManifest(folder)) !== undefined) return folder
  const file = await storage.artifacts.find(artifact)
  if (file === undefined) throw new AppError('ARTIFACT_NOT_FOUND', { artifact })
  try {
    await unpack(file, folder, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) throw error // a full disk
    throw new AppError('BAD_FIELD', { field: 'source', why: (error as Error).message }, { cause: error })
  }
  return folder
}

/** The commit of the code of a release; it was checked when the release was made. */
export function gitOf({ git }: Pick<Release, 'git'>): GitState | undefined {
  return git === null ? undefined : (JSON.parse(git) as GitState)
}

/** Reads the text of a manifest. @throws AppError BAD_FIELD */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('BAD_FIELD', { field: MANIFEST_FILE, why: (error as Error).message }, { cause: error })
  }
  const { data, error } = manifest.safeParse(value)
  if (data === undefined) throw new AppError('BAD_FIELD', { field: MANIFEST_FILE, why: z.prettifyError(error) })
  return data
}
