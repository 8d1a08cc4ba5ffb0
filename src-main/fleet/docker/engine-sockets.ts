/**
 * Whether a folder or file of this machine would give a container the engine. Who has its socket has the machine, so no
 * endpoint gets it, whatever its profile. Source: targets, Rules. A named volume that somebody has made with the engine
 * as a bind of such a folder cannot be seen from here.
 */
import { posix } from 'node:path'

// Where engines have their sockets and what else gives power over them, also inside of the virtual machine of an engine.
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
