/**
 *   quiet    nothing of a request has come since it was opened   closed after `quietMs`
 *   heading  a request has begun, its headers are not complete   answered with 408 after `headersMs`, and closed
 *   busy     a request is answered                               closed when bytes wait and too few are read
 *   upgraded it goes on as a WebSocket                           no limit here
 *   kept     answered, and open for a next request               closed by Node's keep-alive time
 *
 * A stranger has shown no accepted key; of too many from one address, the one without a request for longest makes room.
 * Source: docs/spec/targets.md, 2.19 and 2.29.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limit } from '../../contract/limits.ts'
import { whenAdmitted } from '../admission.ts'

export type ConnectionLimits = {
  readonly headersMs: number
  readonly quietMs: number
  /** A client with waiting bytes must read `readerBytes` per `readerMs`. */
  readonly readerMs: number
  readonly readerBytes: number
  readonly strangers: number
  readonly sweepMs: number
}

export type Connections = ReturnType<typeof watchConnections>

type ConnectionState = 'known' | 'asking' | 'resting' | 'closed'

type Connection = {
  readonly socket: Socket
  readonly address: string
  state: ConnectionState
  hasKey: boolean
  /** Requests being answered; an upgraded one never ends and has no limit here. */
  busy: number
  isUpgraded: boolean
  readonly reader: ReaderPace
  isKeptAlive: boolean
  restSince: number
  restBytes: number
  headingSince: number | undefined
}

const DEFAULTS: ConnectionLimits = {
  headersMs: limit('requestHeadersMs'),
  quietMs: limit('quietConnectionMs'),
  readerMs: limit('readerMs'),
  readerBytes: limit('readerBytes'),
  strangers: limit('connectionsWithoutKey'),
  sweepMs: 500,
}
export const REQUEST_TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
// Time for a client to read why it is disconnected, ms; source: ours. One that never closes its side would stay open.
const LINGER_MS = 1000

export function watchConnections(limits: Partial<ConnectionLimits> = {}) {
  const { headersMs, quietMs, readerMs, readerBytes, strangers, sweepMs } = { ...DEFAULTS, ...limits }
  const all = new Map<Socket, Connection>()
  const crowds = new Map<string, { count: number; readonly resting: Set<Connection> }>()
  const timer = setInterval(sweep, sweepMs).unref()

  function count(connection: Connection, next: ConnectionState): void {
    const { address, state } = connection
    const crowd = crowds.get(address) ?? { count: 0, resting: new Set() }
    crowd.count += Number(isStranger(next)) - Number(isStranger(state))
    crowd.resting.delete(connection)
    if (next === 'resting') crowd.resting.add(connection)
    connection.state = next
    if (crowd.count > 0) crowds.set(address, crowd)
    else crowds.delete(address)
  }

  function forget(connection: Connection): void {
    all.delete(connection.socket)
    count(connection, 'closed')
  }

  function sweep(): void {
    const now = performance.now()
    for (const connection of all.values()) {
      const { socket, busy, isKeptAlive, restBytes, restSince } = connection
      if (busy > 0) {
        if (!connection.isUpgraded && connection.reader.isTooSlow(bytesTaken(socket), now)) socket.destroy()
        continue
      }
      if (socket.bytesRead === restBytes) {
        if (!isKeptAlive && now - restSince >= quietMs) socket.destroy()
        continue
      }
      connection.headingSince ??= now
      if (now - connection.headingSince >= headersMs) endSocketWith(socket, REQUEST_TIMEOUT)
    }
  }

  function makeRoom(address: string): boolean {
    const crowd = crowds.get(address)
    if (crowd === undefined || crowd.count < strangers) return true
    const [longest] = crowd.resting
    if (longest === undefined) return false
    forget(longest)
    longest.socket.destroy()
    return true
  }

  return {
    opened(socket: Socket): void {
      const { remoteAddress: address } = socket
      if (address === undefined || !makeRoom(address)) return void socket.destroy()
      const connection: Connection = {
        socket,
        address,
        state: 'closed',
        hasKey: false,
        busy: 0,
        isUpgraded: false,
        reader: createReaderPace({ readerMs, readerBytes }),
        isKeptAlive: false,
        restSince: performance.now(),
        restBytes: 0,
        headingSince: undefined,
      }
      all.set(socket, connection)
      count(connection, 'resting')
      socket.once('close', () => forget(connection))
    },
    released(socket: Socket) {
      const connection = all.get(socket)
      if (connection !== undefined) forget(connection)
    },
    asked(incoming: IncomingMessage, response: ServerResponse | undefined) {
      const connection = all.get(incoming.socket)
      if (connection === undefined) return
      connection.busy += 1
      connection.isUpgraded ||= response === undefined
      connection.headingSince = undefined
      if (!connection.hasKey) count(connection, 'asking')
      whenAdmitted(incoming, () => {
        connection.hasKey = true
        if (connection.state !== 'closed') count(connection, 'known')
      })
      response?.once('close', () => {
        connection.busy -= 1
        connection.isKeptAlive = true
        connection.restSince = performance.now()
        connection.restBytes = incoming.socket.bytesRead
        if (!connection.hasKey && connection.busy === 0 && connection.state !== 'closed') count(connection, 'resting')
      })
    },
    close: () => clearInterval(timer),
  }
}

export type ReaderPace = ReturnType<typeof createReaderPace>

/** Measures from when bytes start waiting, and again in each interval. */
export function createReaderPace({ readerMs, readerBytes }: Pick<ConnectionLimits, 'readerMs' | 'readerBytes'>) {
  let from: { readonly at: number; readonly taken: number } | undefined
  return {
    /**
     * @param taken bytes read so far; undefined if none wait
     * @param now ms
     */
    isTooSlow(taken: number | undefined, now: number): boolean {
      const before = from
      if (taken === undefined) from = undefined
      else if (before === undefined || now - before.at >= readerMs) from = { at: now, taken }
      return before !== undefined && taken !== undefined && from !== before && taken - before.taken < readerBytes
    },
  }
}

type Handle = {
  readonly bytesWritten: number
  readonly writeQueueSize: number
  readonly _parent?: Handle
}

/** Undefined if nothing waits. Only the handle knows the progress of a large write; Node's timeout reads it too. */
function bytesTaken(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Handle | null }
  const { bytesWritten, writeQueueSize } = handle?._parent ?? handle ?? { bytesWritten: 0, writeQueueSize: 0 }
  return socket.writableLength === 0 && writeQueueSize === 0 ? undefined : bytesWritten - writeQueueSize
}

const isStranger = (state: ConnectionState) => state === 'asking' || state === 'resting'

/** Ends a connection with a final response, even if the client neither reads it nor closes. */
export function endSocketWith(socket: Duplex, response: string): void {
  if (socket.destroyed || socket.writableEnded) return
  socket.end(response)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
