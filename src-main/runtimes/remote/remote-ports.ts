import { rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../lib/clock.ts'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import type { SshForward } from './ssh-command.ts'
import type { SshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'

export type RemotePortsOptions = {
  readonly machine: string
  readonly link: SshLink
  readonly log: Log
  readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
}

export type RemotePort = { readonly port: number; readonly giveBack: () => void }

// Another program may have the port, or take it before ssh does.
const MAX_PORTS = 5

/** @returns a function that opens a forward. `to`: remote address or socket; `wanted`: preferred local port */
export function createRemotePorts(options: RemotePortsOptions): (to: string, wanted: number) => Promise<RemotePort> {
  const { machine, link, log, freePort } = options
  const taken = new Set<number>()

  return async (to, wanted) => {
    for (let tried = 1; ; tried++) {
      const port = tried === 1 && !taken.has(wanted) ? wanted : await freePort((one) => taken.has(one))
      taken.add(port)
      const forward: SshForward = { way: '-L', from: `${LOOPBACK}:${port}`, to }
      let isMade = false
      try {
        const forget = await link.keep(async (connection) => {
          try {
            await connection.forward(forward)
            isMade = true
          } catch (error) {
            // A worker whose port cannot be restored fails its health check; others continue.
            if (!isMade) throw error
            log.warn('port of a worker not forwarded again', { machine, error })
          }
        })
        return {
          port,
          giveBack() {
            forget()
            taken.delete(port)
            const cancel = link.connection().then((connection) => connection.cancelForward(forward))
            cancel.catch(() => undefined)
          },
        }
      } catch (error) {
        taken.delete(port)
        if (tried === MAX_PORTS) throw error
      }
    }
  }
}

/**
 * Forwards a machine's socket once per connection under a stable path.
 * @param name short local socket name
 * @returns the local path; rejects without a connection or socket
 */
export function createForwardedSocket(
  link: SshLink,
  name: string,
  find: (connection: SshConnection) => Promise<string>,
): () => Promise<string> {
  const sockets = new WeakMap<SshConnection, Promise<string>>()

  async function forward(connection: SshConnection): Promise<string> {
    const from = join(connection.folder, name)
    await connection.forward({ way: '-L', from, to: await find(connection) })
    const [socket, next] = [join(link.folder, name), join(link.folder, `${name}.new`)]
    await rm(next, { force: true })
    await symlink(from, next)
    await rename(next, socket)
    return socket
  }

  return async () => {
    const connection = await link.connection()
    const socket = sockets.get(connection) ?? forward(connection)
    sockets.set(connection, socket)
    socket.catch(() => sockets.delete(connection))
    return socket
  }
}
