/**
 * Remote start of the reverse tunnel: a socket in a folder only that user can open. Every connection creates its own,
 * since a dead one's sshd may remove its socket at any later time; a stable link names the latest.
 */

import { randomBytes } from 'node:crypto'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import { shellQuoted } from '../../lib/text.ts'
import type { TunnelThere } from './relay-containers.ts'
import { findRemoteEngine } from './remote-host.ts'
import type { SshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'

const SOCKET = 'service.sock'

export function createRemoteSocket(options: {
  readonly link: SshLink
  readonly machine: string
  readonly id: string
  readonly open: (host: string) => Promise<{ readonly port: number }>
}): () => Promise<TunnelThere> {
  const { link, machine, id, open } = options
  let kept: Promise<unknown> | undefined
  let there: Omit<TunnelThere, 'engineSocket'> | undefined

  async function make(connection: SshConnection): Promise<void> {
    const { port } = await open(LOOPBACK)
    const [folder = '', user = '', groups = ''] = (await connection.run(folderScript(id))).trim().split('\n')
    const name = `s-${randomBytes(4).toString('hex')}`
    const to = `${LOOPBACK}:${port}`
    try {
      await connection.forward({ way: '-R', from: `${folder}/${name}`, to })
    } catch (error) {
      throw new Error(`sshd of ${machine} refuses the reverse tunnel: ${(error as Error).message}`, { cause: error })
    }
    await connection.run(`cd ${shellQuoted(folder)} && ln -s ${name} n-${name} && mv -f n-${name} ${SOCKET}`)
    there = { to: { folder, socket: SOCKET }, user, groups: groups.split(' ') }
  }

  return async () => {
    kept ??= link.keep(make)
    await kept.catch(() => {
      kept = undefined
    })
    const connection = await link.connection()
    if (there === undefined) throw new Error(`the reverse tunnel from ${machine} is not open yet`)
    return { ...there, engineSocket: await findRemoteEngine(connection, machine) }
  }
}

export async function removeRemoteFolder(link: Pick<SshLink, 'connection'>, id: string): Promise<void> {
  const connection = await link.connection()
  // Others may have folders next to it; then the parent folder stays.
  await connection.run(`cd "$HOME" && rm -rf .drydock/${id} && { rmdir .drydock 2>/dev/null || true; }`)
}

// Removes sockets of ended connections, except the linked one.
const folderScript = (id: string) => `
umask 077
folder="$HOME/.drydock/${id}"
mkdir -p "$folder" && chmod 700 "$folder" && cd "$folder" || exit 1
last="$(readlink ${SOCKET} || true)"
for socket in s-* n-*; do [ "$socket" = "$last" ] || rm -f "$socket"; done
pwd -P
echo "$(id -u):$(id -g)"
id -G
`
