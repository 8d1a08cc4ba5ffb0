/**
 * Reads a snapshot, follows the events and starts over when the stream breaks. Hidden pages hold no stream, since
 * browsers allow six connections per service.
 */
import type { LiveSnapshot } from '../../src-main/contract/live.ts'
import { isSignedOut } from '../api-client/api-error.ts'
import type { ApiClient } from '../api-client/client.ts'
import { type EventSourceLike, type NumberedEvent, openEventStream } from '../api-client/event-stream.ts'
import { type Platform, UNSEEN_MS } from '../platform/platform.ts'
import type { AppStore } from '../store/app-store.ts'

const RETRY_FROM_MS = 500
const RETRY_TO_MS = 5000
// Waiting reasons and placement problems change with time alone; requests to load-balanced endpoints emit no events.
const REFRESH_MS = 3000
const RELOAD_PAUSE_MS = 300

export class LiveConnection {
  readonly #client: ApiClient
  readonly #store: AppStore
  readonly #platform: Platform
  readonly #connect: (address: string) => EventSourceLike
  #running = false
  #closeStream: (() => void) | undefined
  #timers: (() => void)[] = []
  #retryMs = RETRY_FROM_MS
  #reload: 'none' | 'planned' | 'under way' = 'none'

  constructor({
    client,
    store,
    platform,
    connect,
  }: {
    readonly client: ApiClient
    readonly store: AppStore
    readonly platform: Platform
    readonly connect: (address: string) => EventSourceLike
  }) {
    this.#client = client
    this.#store = store
    this.#platform = platform
    this.#connect = connect
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#timers = [
      this.#platform.onVisibility(() => this.#seen()),
      // A call that was answered with 401 says so in the store; the open stream would not notice.
      this.#store.subscribe(({ connection }) => {
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
  }

  async #begin(): Promise<void> {
    const snapshot = await this.#read()
    if (!this.#running || snapshot === undefined) return
    this.#close()
    this.#retryMs = RETRY_FROM_MS
    const { beginWith, setConnection } = this.#store.getState()
    beginWith(snapshot)
    setConnection('live', this.#platform.now())
    if (!this.#platform.isVisible()) return
    this.#closeStream = openEventStream({
      after: snapshot.eventId,
      connect: this.#connect,
      platform: this.#platform,
      onEvents: (events) => this.#takeEvents(events),
      onLost: () => {
        this.#closeStream = undefined
        this.#lose('lost')
      },
    })
  }

  async #read(): Promise<LiveSnapshot | undefined> {
    try {
      return await this.#client.call('liveRead')
    } catch (error) {
      if (this.#running) this.#lose(isSignedOut(error) ? 'signed-out' : 'lost')
      return undefined
    }
  }

  #lose(connection: 'lost' | 'signed-out'): void {
    this.#close()
    this.#store.getState().setConnection(connection, this.#platform.now())
    this.#later(this.#retryMs, () => this.#begin())
    this.#retryMs = Math.min(RETRY_TO_MS, this.#retryMs * 2)
  }

  #takeEvents(events: readonly NumberedEvent[]): void {
    if (this.#store.getState().receiveEvents(events)) this.#planReload()
  }

  #planReload(): void {
    if (this.#reload !== 'none') return
    this.#reload = 'planned'
    this.#later(RELOAD_PAUSE_MS, async () => {
      this.#reload = 'under way'
      const snapshot = await this.#read()
      if (this.#closeStream !== undefined && snapshot !== undefined) this.#store.getState().showSnapshot(snapshot)
      this.#reload = 'none'
    })
  }

  #refresh(): void {
    const { endpoints, workers } = this.#store.getState().live
    const withWorkers = new Set(Object.values(workers).map(({ endpointId }) => endpointId))
    const changesByTime = Object.values(endpoints).some(
      ({ id, inQueue, loadBalanced, workersMin }) =>
        inQueue > 0 || loadBalanced !== undefined || (workersMin > 0 && !withWorkers.has(id)),
    )
    if (changesByTime && this.#platform.isVisible()) this.#planReload()
    this.#later(REFRESH_MS, () => this.#refresh())
  }

  #seen(): void {
    if (this.#platform.isVisible()) {
      if (this.#closeStream === undefined) void this.#begin()
      return
    }
    this.#later(UNSEEN_MS, () => {
      if (!this.#platform.isVisible()) this.#close()
    })
  }

  #close(): void {
    this.#closeStream?.()
    this.#closeStream = undefined
  }

  #later(ms: number, run: () => void): void {
    const cancel = this.#platform.after(ms, () => {
      this.#timers = this.#timers.filter((other) => other !== cancel)
      if (this.#running) run()
    })
    this.#timers.push(cancel)
  }
}
