/**
 * Follows events after a snapshot, and starts over when the stream breaks. Hidden pages hold no stream, since browsers
 * allow six connections per service.
 */
import type { LiveSnapshot } from '../../src-main/contract/live.ts'
import { isSignedOut } from '../api-client/api-error.ts'
import type { ApiClient } from '../api-client/client.ts'
import { type EventSourceLike, openEventStream } from '../api-client/event-stream.ts'
import { type Platform, UNSEEN_MS } from '../browser/platform.ts'
import type { AppStore } from '../store/app-store.ts'

const RETRY_FROM_MS = 500
const RETRY_TO_MS = 5000
// Waiting reasons and placement problems change with time alone; requests to load-balanced endpoints emit no events.
const REFRESH_MS = 3000
const RELOAD_PAUSE_MS = 300
// A read that hangs would block all later ones. Source: ours.
const READ_LIMIT_MS = 10_000

type LivePorts = {
  readonly client: ApiClient
  readonly store: AppStore
  readonly platform: Platform
  readonly connect: (address: string) => EventSourceLike
}

export class LiveConnection {
  readonly #ports: LivePorts
  #running = false
  #closeStream: (() => void) | undefined
  #timers: (() => void)[] = []
  #retryMs = RETRY_FROM_MS
  #reload: 'none' | 'planned' | 'under way' | 'outdated' = 'none'

  constructor(ports: LivePorts) {
    this.#ports = ports
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#timers = [
      this.#ports.platform.onVisibility(() => this.#seen()),
      // A call that was answered with 401 says so in the store; the open stream would not notice.
      this.#ports.store.subscribe(({ connection }) => {
        if (connection === 'signed-out' && this.#closeStream !== undefined) this.#lose(connection)
      }),
    ]
    this.#later(REFRESH_MS, () => this.#refresh())
    void this.#begin()
  }

  stop(): void {
    this.#running = false
    this.#close()
    for (const cancel of this.#timers) cancel()
    this.#timers = []
    this.#reload = 'none'
  }

  async #begin(): Promise<void> {
    const snapshot = await this.#read()
    if (!this.#running || snapshot === undefined) return
    this.#close()
    this.#retryMs = RETRY_FROM_MS
    const { beginWith, setConnection } = this.#ports.store.getState()
    beginWith(snapshot)
    setConnection('live', this.#ports.platform.now())
    if (!this.#ports.platform.isVisible()) return
    this.#closeStream = openEventStream({
      after: snapshot.eventId,
      connect: this.#ports.connect,
      platform: this.#ports.platform,
      onEvents: (events) => {
        if (this.#ports.store.getState().receiveEvents(events)) this.#planReload()
      },
      onLost: () => {
        this.#closeStream = undefined
        this.#lose('lost')
      },
    })
  }

  async #read(): Promise<LiveSnapshot | undefined> {
    const limit = new AbortController()
    const cancelLimit = this.#later(READ_LIMIT_MS, () => limit.abort())
    try {
      return await this.#ports.client.call('liveRead', { signal: limit.signal })
    } catch (error) {
      if (this.#running) this.#lose(isSignedOut(error) ? 'signed-out' : 'lost')
      return undefined
    } finally {
      cancelLimit()
    }
  }

  #lose(connection: 'lost' | 'signed-out'): void {
    this.#close()
    this.#ports.store.getState().setConnection(connection, this.#ports.platform.now())
    this.#later(this.#retryMs, () => this.#begin())
    this.#retryMs = Math.min(RETRY_TO_MS, this.#retryMs * 2)
  }

  #planReload(): void {
    // The snapshot being read may be older than the event that asks for this one.
    if (this.#reload === 'under way') this.#reload = 'outdated'
    if (this.#reload !== 'none') return
    this.#reload = 'planned'
    this.#later(RELOAD_PAUSE_MS, async () => {
      this.#reload = 'under way'
      const snapshot = await this.#read()
      if (this.#closeStream !== undefined && snapshot !== undefined) this.#ports.store.getState().showSnapshot(snapshot)
      this.#endReload()
    })
  }

  #endReload(): void {
    const isOutdated = this.#reload === 'outdated'
    this.#reload = 'none'
    if (isOutdated) this.#planReload()
  }

  #refresh(): void {
    const { endpoints, workers } = this.#ports.store.getState().live
    const withWorkers = new Set(Object.values(workers).map(({ endpointId }) => endpointId))
    const changesByTime = Object.values(endpoints).some(
      ({ id, inQueue, loadBalanced, workersMin, container }) =>
        inQueue > 0 ||
        loadBalanced !== undefined ||
        ((workersMin > 0 || container !== undefined) && !withWorkers.has(id)),
    )
    if (changesByTime && this.#reload === 'none' && this.#ports.platform.isVisible()) this.#planReload()
    this.#later(REFRESH_MS, () => this.#refresh())
  }

  #seen(): void {
    if (this.#ports.platform.isVisible()) {
      if (this.#closeStream === undefined) void this.#begin()
      return
    }
    this.#later(UNSEEN_MS, () => {
      if (!this.#ports.platform.isVisible()) this.#close()
    })
  }

  #close(): void {
    this.#closeStream?.()
    this.#closeStream = undefined
  }

  #later(ms: number, run: () => void): () => void {
    const cancelTimer = this.#ports.platform.after(ms, () => {
      forget()
      if (this.#running) run()
    })
    const forget = () => {
      this.#timers = this.#timers.filter((other) => other !== cancel)
    }
    const cancel = () => {
      cancelTimer()
      forget()
    }
    this.#timers.push(cancel)
    return cancel
  }
}
