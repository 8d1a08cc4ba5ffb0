/** Ports and sockets of this machine that lead to another one over the connection by ssh, also over the next one. */
import { rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { LOOPBACK } from '../../domain/own-addresses.ts'
import type { Log } from '../../services/ports/system.ts'
import type { SshForward } from './ssh-command.ts'
import type { SshConnection } from './ssh-connection.ts'
import type { SshLink } from './ssh-link.ts'

/** What makes them. */
export type FarPortsOptions = {
  /** Name of the machine, for the log. */
  readonly machine: string
  readonly link: SshLink
  readonly log: Log
  /** A port of this machine that nobody has. */
  readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
}

/** A port that is open. */
export type FarPort = { readonly port: number; readonly giveBack: () => void }

// Another program may have the port, or take it before ssh does.
const MAX_PORTS = 5

/**
 * Makes what opens them.
 * @returns opens one. `to`: an address or a socket there; `wanted`: the port that it gets where that is free
 */
export function createFarPorts({
  machine,
  link,
  log,
  freePort,
}: FarPortsOptions): (to: string, wanted: number) => Promise<FarPort> {
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
            // A worker that cannot be reached at its port again is found by its health; the others go on.
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
            cancel.catch(() => undefined) // it went with its connection
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
 * Makes what forwards a socket of the machine, once for each connection and always under one path: what is known of
 * containers asks there again when a connection broke.
 * @param name of the socket here, short
 * @param find the socket there
 * @returns gives the path of this machine; rejects where there is no connection, or nothing to forward yet
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
    socket.catch(() => sockets.delete(connection)) // it may be there later
    return socket
  }
}
