import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { CODE_FOLDER, type ContainerSettings } from '../../contract/container.ts'
import { errorCode } from '../../lib/error-code.ts'
import type { WorkerSpec } from '../port.ts'

export type Mount = {
  readonly type: 'bind' | 'volume'
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

export const RUNTIME_FOLDER = '/opt/drydock/python'

export const BUNDLE_FILE = '/opt/drydock/authorities.pem'

export type MountRules = {
  readonly pythonPath: string
  readonly bundle: () => Promise<string>
  readonly sockets: readonly string[]
  readonly platform: NodeJS.Platform
}

/**
 * Resolves mounts to real paths, so that a changed link leads nowhere else.
 * @throws Error for the user if something is missing or would expose the engine
 */
export async function findMounts(
  { handler, container, callsHosts }: Pick<WorkerSpec, 'handler' | 'container' | 'callsHosts'>,
  rules: MountRules,
): Promise<readonly Mount[]> {
  const bundle = callsHosts === undefined ? [] : [readOnlyBind(await rules.bundle(), BUNDLE_FILE)]
  const volumes = await findVolumes(container?.volumes ?? [], rules)
  return [...(await findCode(handler, container, rules)), ...volumes, ...bundle]
}

async function findCode(
  handler: string | undefined,
  container: WorkerSpec['container'],
  rules: MountRules,
): Promise<readonly Mount[]> {
  if (handler === undefined) return []
  const folder = await findFolder(dirname(handler), rules, {
    what: `the folder of the handler ${handler}`,
    advice: 'Put the handler into a folder of its own',
  })
  const runtime = container?.image === undefined ? [] : [readOnlyBind(rules.pythonPath, RUNTIME_FOLDER)]
  return [readOnlyBind(folder, CODE_FOLDER), ...runtime]
}

function findVolumes(volumes: ContainerSettings['volumes'], rules: MountRules): Promise<readonly Mount[]> {
  return Promise.all(
    volumes.map(async ({ source, target, readOnly }): Promise<Mount> => {
      if (!isFolder(source)) return { type: 'volume', source, target, readOnly }
      const about = {
        what: `the volume ${source}:${target}`,
        advice: 'Choose a folder that does not contain its socket',
      }
      return { type: 'bind', source: await findFolder(source, rules, about), target, readOnly }
    }),
  )
}

const readOnlyBind = (source: string, target: string): Mount => ({ type: 'bind', source, target, readOnly: true })

// Anything else is a volume name. Source: the engine's rule.
const isFolder = (source: string) => source.startsWith('/') || /^[A-Za-z]:[\\/]/.test(source)

async function findFolder(
  path: string,
  { sockets, platform }: MountRules,
  { what, advice }: { readonly what: string; readonly advice: string },
): Promise<string> {
  const real = await realOf(path)
  const guarded = [...sockets, ...(await Promise.all(sockets.filter(existsSync).map((socket) => realpath(socket))))]
  const spellings = real === undefined ? [path] : [path, real]
  // Before the existence check, because virtual engines have sockets that this machine cannot see.
  if (givesEngine(spellings, { sockets: guarded, ignoreCase: platform !== 'linux' }))
    throw new Error(
      `${what} would give the container control of the Docker engine, and with it of this machine. ${advice}`,
    )
  if (real === undefined) throw new Error(`${what}: there is no ${path} on this machine. Create it first`)
  return real
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

// Refuses mounts that expose the engine, whose socket controls the machine, for every profile. Source:
// docs/spec/targets.md, 3. Named volumes binding such a folder cannot be detected.

// Engine sockets and similar, also inside an engine's virtual machine.
const USUAL_SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/private/var/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/var/run/podman/podman.sock',
  '/run/crio/crio.sock',
]
const FOLDERS_OF_ENGINES = /^(\/var)?\/run\/(docker|containerd|podman|crio)(\/|$)/
const SOCKET_NAME = /^(docker|podman|containerd|crio)[\w.-]*\.sock([\w.-]*)$/

/**
 * @param spellings the given and real path, absolute
 * @param sockets of the current engine, given and real
 * @param ignoreCase true on case-insensitive file systems
 */
export function givesEngine(
  spellings: readonly string[],
  { sockets, ignoreCase }: { readonly sockets: readonly string[]; readonly ignoreCase: boolean },
): boolean {
  const folded = (path: string) => (ignoreCase ? cleaned(path).toLowerCase() : cleaned(path))
  const guarded = [...USUAL_SOCKETS, ...sockets].map(folded)
  return spellings.map(folded).some(
    (path) =>
      FOLDERS_OF_ENGINES.test(path) ||
      SOCKET_NAME.test(posix.basename(path)) ||
      // A parent folder exposes the socket too.
      guarded.some((socket) => socket === path || socket.startsWith(path === '/' ? path : `${path}/`)),
  )
}

function cleaned(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}
