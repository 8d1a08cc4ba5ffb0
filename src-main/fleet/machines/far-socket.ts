/**
 * Where the way back begins on a machine that is reached by ssh: a socket in a folder of that user, which nobody else can
 * open. Each connection makes a socket of its own, since the one of a connection that died may be removed by its sshd at any
 * later time; a link of always the same name leads to the last one.
 */

import { randomBytes } from 'node:crypto'
import { LOOPBACK } from '../../domain/own-addresses.ts'
import { shellQuoted } from '../../domain/text.ts'
import { findFarEngine } from './far-host.ts'
import type { WayBackThere } from './relay-containers.ts'
import type { SshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'

/** What makes it. */
export type FarSocketOptions = {
  readonly link: SshLink
  /** Name of the machine, for reasons. */
  readonly machine: string
  /** Names the folder there; a-z and 0-9. */
  readonly id: string
  /** Opens the listener for machines on an address of this machine. */
  readonly open: (host: string) => Promise<{ readonly port: number }>
}

const SOCKET = 'service.sock'

/** Makes what opens it, when it is first asked for, and again with every later connection. */
export function createFarSocket({ link, machine, id, open }: FarSocketOptions): () => Promise<WayBackThere> {
  let kept: Promise<unknown> | undefined
  let there: Omit<WayBackThere, 'engineSocket'> | undefined

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
    return { ...there, engineSocket: await findFarEngine(connection, machine) }
  }
}

/** Removes the folder of the socket, when nothing there uses it any more. Rejects where it is not reached. */
export async function removeFarFolder(link: Pick<SshLink, 'connection'>, id: string): Promise<void> {
  const connection = await link.connection()
  // Others may have folders next to it; then the folder around them stays.
  await connection.run(`cd "$HOME" && rm -rf .drydock/${id} && { rmdir .drydock 2>/dev/null || true; }`)
}

// Sockets of connections that have ended go, but for the one that the link leads to, which goes with the next one.
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
