/** Keeps one connection open, retrying with growing pauses. Forwards are restored before listeners are notified. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestWatch } from '../../features/machines/ports.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { openSshConnection, type SshConnection, type SshConnectionOptions } from './ssh-connection.ts'

/** Connection status; `since` is wall ms. */
type LinkStatus = {
  readonly state: 'connecting' | 'connected' | 'unreachable'
  readonly reason?: string | undefined
  readonly since: number
}

type Make = (connection: SshConnection) => Promise<void>

export type SshLink = ReturnType<typeof createSshLink>

export type SshLinkOptions = Pick<SshConnectionOptions, 'target' | 'env'> & {
  readonly clock: Clock
  readonly log: Log
  readonly folder: string
}

// Retry pauses, ms, doubled up to the last; source: ours.
const FIRST_PAUSE_MS = 500
const LAST_PAUSE_MS = 10_000
// Path limit of macOS sockets, minus names and ssh's temporary suffix.
const MOST_PATH = 104 - 30

export function createSshLink({ target, env, clock, log, folder: wanted }: SshLinkOptions) {
  const kept = new Set<Make>()
  const made = new WeakMap<SshConnection, Map<Make, Promise<void>>>()
  const changes = createEmitter()
  const folder = socketFolder(wanted)
  let status: LinkStatus = { state: 'connecting', since: clock.now() }
  let attempt: Promise<SshConnection> | undefined
  let open: SshConnection | undefined
  let pauseMs = FIRST_PAUSE_MS
  let cancelNext: (() => void) | undefined
  const closing = new AbortController()

  function move(state: LinkStatus['state'], reason?: string): void {
    if (status.state === state && status.reason === reason) return
    const since = status.state === state ? status.since : clock.now()
    status = { state, since, ...(reason === undefined ? {} : { reason }) }
    changes.emit()
  }

  async function connect(): Promise<SshConnection> {
    const connection = await openSshConnection({
      target,
      env,
      clock,
      folder: join(folder, randomBytes(4).toString('hex')),
      signal: closing.signal,
    })
    open = connection
    try {
      for (const make of kept) await makeOn(connection, make)
    } catch (error) {
      connection.close()
      await connection.ended
      throw error
    }
    connection.ended.then((reason) => broken(connection, reason))
    return connection
  }

  function makeOn(connection: SshConnection, make: Make): Promise<void> {
    const ofIt = made.get(connection) ?? new Map<Make, Promise<void>>()
    made.set(connection, ofIt)
    const making = ofIt.get(make) ?? make(connection)
    ofIt.set(make, making)
    return making
  }

  function tryNow(): Promise<SshConnection> {
    cancelNext?.()
    cancelNext = undefined
    const trial = connect()
    attempt = trial
    trial.then(
      () => {
        pauseMs = FIRST_PAUSE_MS
        log.info('connected by ssh', { to: target.to })
        move('connected')
      },
      (error: Error) => later(error.message),
    )
    return trial
  }

  function broken(connection: SshConnection, reason: string): void {
    if (open !== connection || closing.signal.aborted) return
    log.warn('connection by ssh lost', { to: target.to, reason })
    later(reason)
  }

  function later(reason: string): void {
    open = undefined
    attempt = undefined
    if (closing.signal.aborted) return
    move('unreachable', reason)
    cancelNext = clock.after(pauseMs, () => void tryNow().catch(() => undefined))
    pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)
  }

  tryNow().catch(() => undefined)

  function connection(now?: 'now'): Promise<SshConnection> {
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason)
    if (attempt !== undefined) return attempt
    return now === 'now' ? tryNow() : Promise.reject(new Error(status.reason))
  }

  return {
    folder,
    status: (): LinkStatus => status,
    onChange: changes.on,
    /**
     * Waits while the connection opens, and rejects at once during a retry pause.
     * @param now tries immediately
     */
    connection,
    /**
     * Creates something on every connection, rejecting if the present one fails; a later failure breaks that connection.
     * @returns a function that forgets it
     */
    async keep(make: Make): Promise<() => void> {
      const present = attempt
      kept.add(make)
      try {
        // A running attempt may have passed the point of creation.
        const connected = await present?.catch(() => undefined)
        if (connected !== undefined) await makeOn(connected, make)
      } catch (error) {
        kept.delete(make)
        throw error
      }
      return () => kept.delete(make)
    },
    async close() {
      closing.abort(new Error('the connection was ended'))
      cancelNext?.()
      const last = open ?? (await attempt?.catch(() => undefined))
      await last?.ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * First test step: a login, tried now.
 * @param to login target
 * @returns whether it works; fixes were reported
 */
export async function testLogin(
  link: Pick<SshLink, 'connection'>,
  to: string,
  { report }: TestWatch,
): Promise<boolean> {
  try {
    await link.connection('now')
    report({ check: 'SSH', state: 'ok', found: `logged in to ${to}` })
    return true
  } catch (error) {
    const fix = `Make ssh ${to} work in a terminal first: the service uses the same keys and known hosts.`
    report({ check: 'SSH', state: 'failed', found: (error as Error).message, fix })
    return false
  }
}

function socketFolder(wanted: string): string {
  if (Buffer.byteLength(wanted) > MOST_PATH) return mkdtempSync(join(tmpdir(), 'drydock-'))
  rmSync(wanted, { recursive: true, force: true })
  mkdirSync(wanted, { recursive: true, mode: 0o700 })
  return wanted
}
