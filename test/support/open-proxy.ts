/** A way to a service that counts what goes through it, and breaks when somebody wants it to: TCP, passed on as it comes. */
import { connect, createServer, type Socket } from 'node:net'

/** Where callers connect, and how what goes through it is broken. */
export type OpenProxy = {
  readonly port: number
  /** Breaks the connection on which so many more bytes came from the caller, once. */
  readonly cutAfter: (bytes: number) => void
  /** Breaks all connections. */
  readonly cut: () => void
  /** Connections on which so many bytes came. */
  readonly cuts: () => number
  /** Bytes that came from callers and went to them. */
  readonly counted: () => { readonly there: number; readonly back: number }
  readonly close: () => Promise<void>
}

/**
 * Opens it on an address of this machine.
 * @param to address of the service: http://HOST:PORT or unix://PATH
 * @param delayMs how long each piece is held back, in each direction: a longer cable
 */
export async function openProxy(to: string, host = '127.0.0.1', delayMs = 0): Promise<OpenProxy> {
  const { protocol, hostname, port, pathname } = new URL(to)
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cuts = 0
  let [there, back] = [0, 0]
  const server = createServer((caller) => {
    const service = protocol === 'unix:' ? connect(pathname) : connect(Number(port), hostname)
    for (const socket of [caller, service]) {
      open.add(socket)
      socket.on('error', () => undefined) // the other end of what was cut
      socket.on('close', () => open.delete(socket))
    }
    service.on('close', () => caller.destroy())
    service.on('data', (piece: Buffer) => {
      back += piece.length
    })
    let came = 0
    caller.on('data', (piece: Buffer) => {
      there += piece.length
      came += piece.length
      if (came < left) return
      left = Number.POSITIVE_INFINITY
      cuts += 1
      caller.resetAndDestroy()
      // Bytes up to here arrive.
      service.end()
    })
    if (delayMs === 0) {
      caller.pipe(service)
      service.pipe(caller)
    } else {
      for (const socket of [caller, service]) socket.setNoDelay()
      passLater(caller, service, delayMs)
      passLater(service, caller, delayMs)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  return {
    port: address.port,
    cutAfter: (bytes) => {
      left = bytes
    },
    cut() {
      for (const socket of open) socket.resetAndDestroy()
    },
    cuts: () => cuts,
    counted: () => ({ there, back }),
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// Timers of one span go off in the order in which they were set.
function passLater(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (piece: Buffer) => setTimeout(() => void (to.writable && to.write(piece)), delayMs))
  from.on('end', () => setTimeout(() => void to.end(), delayMs))
}
