/** Folders and volumes that a container gets, looked at on this machine before the engine is asked. */
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { CODE_FOLDER, type ContainerSettings } from '../../contract/container.ts'
import { errorCode } from '../../domain/error-code.ts'
import type { WorkerSpec } from '../../services/ports/fleet.ts'

/** A volume as the engine is asked for it. */
export type Mount = {
  readonly type: 'bind' | 'volume'
  /** The real path of a folder, without links, or the name of a volume. */
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/** Where svc_worker is in a container. */
export const RUNTIME_FOLDER = '/opt/drydock/python'

/** Where a worker that calls endpoints as hosts finds the authorities that it trusts. */
export const BUNDLE_FILE = '/opt/drydock/authorities.pem'

/** What is looked at. */
export type MountRules = {
  /** Folder of this machine that holds svc_worker. */
  readonly pythonPath: string
  /** Gives the file of this machine with those authorities. */
  readonly bundle: () => Promise<string>
  /** Sockets of the engine in use. */
  readonly sockets: readonly string[]
  readonly platform: NodeJS.Platform
}

/**
 * Finds what the settings name. The engine then gets real paths, so that a link that is changed meanwhile leads nowhere
 * else.
 * @throws Error with a sentence for a person when something is missing, or would hand over the engine
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
  // The worker image has svc_worker at that path.
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

// Else the name of a volume. Source: the engine's rule.
const isFolder = (source: string) => source.startsWith('/') || /^[A-Za-z]:[\\/]/.test(source)

async function findFolder(
  path: string,
  { sockets, platform }: MountRules,
  { what, advice }: { readonly what: string; readonly advice: string },
): Promise<string> {
  const real = await realOf(path)
  const guarded = [...sockets, ...(await Promise.all(sockets.filter(existsSync).map((socket) => realpath(socket))))]
  const spellings = real === undefined ? [path] : [path, real]
  // Before it is looked whether it is there: an engine in a virtual machine has sockets that this machine does not see.
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

// Whether a folder or file of this machine would give a container the engine. Who has its socket has the machine, so no
// endpoint gets it, whatever its profile. Source: docs/spec/targets.md, 3. A named volume that somebody has made with
// the engine as a bind of such a folder cannot be seen from here.

// Where engines have their sockets and what else gives power over them, also inside of the virtual machine of an
// engine.
const USUAL_SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/private/var/run/docker.sock', // what /var is on macOS
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/var/run/podman/podman.sock',
  '/run/crio/crio.sock',
]
const FOLDERS_OF_ENGINES = /^(\/var)?\/run\/(docker|containerd|podman|crio)(\/|$)/
const SOCKET_NAME = /^(docker|podman|containerd|crio)[\w.-]*\.sock([\w.-]*)$/

/**
 * @param spellings the path as it was given and as it really is, absolute
 * @param sockets sockets of the engine in use, as given and as they really are
 * @param ignoreCase true where the file system does
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
      // A folder above a socket holds it too.
      guarded.some((socket) => socket === path || socket.startsWith(path === '/' ? path : `${path}/`)),
  )
}

// Without a slash at the end, doubled ones, and dots.
function cleaned(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}
