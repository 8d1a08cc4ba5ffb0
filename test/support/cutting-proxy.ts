/** A way to a service that breaks when a test wants it to: TCP, passed on as it comes. */
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Where callers connect, and how a test breaks what goes through it. */
export type CuttingProxy = {
  readonly port: number
  /** Breaks the connection on which so many more bytes came from the caller, once. */
  readonly cutAfter: (bytes: number) => void
  /** Breaks all connections. */
  readonly cut: () => void
  /** Connections on which so many bytes came. */
  readonly cuts: () => number
}

/** Opens it on an address of this machine. @param to address of the service */
export async function cuttingProxy(to: string, host = '127.0.0.1'): Promise<CuttingProxy> {
  const { hostname, port } = new URL(to)
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let cuts = 0
  const server = createServer((caller) => {
    const service = connect(Number(port), hostname)
    for (const socket of [caller, service]) {
      open.add(socket)
      socket.on('error', () => undefined) // the other end of what was cut
      socket.on('close', () => open.delete(socket))
    }
    service.on('close', () => caller.destroy())
    let came = 0
    caller.on('data', (piece: Buffer) => {
      came += piece.length
      if (came < left) return
      left = Number.POSITIVE_INFINITY
      cuts += 1
      caller.resetAndDestroy()
      // What came until then arrives.
      service.end()
    })
    caller.pipe(service)
    service.pipe(caller)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
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
  }
}
