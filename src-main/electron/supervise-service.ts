/**
 * Keeps a service up for the desktop.
 *
 *   starting ── ready ──▶ up (own) ── process ends ──▶ down ── pause ──▶ starting
 *      │                    ▲
 *      ├── refused: locked ─┴─▶ up (not own): somebody else's, like `drydock serve`; when it ends ──▶ starting
 *      └── refused otherwise ──▶ refused, until retry()
 *
 * The lock of the data folder decides whether a service runs on it: a file that names one may be left over.
 */
import type { TimeSource } from '../core.ts'
import { type ServiceArguments, STOP, serviceMessage } from './service-messages.ts'

/** The process of a service. */
export type ServiceChild = {
  readonly post: (message: unknown) => void
  /** Ends it at once. */
  readonly kill: () => void
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** @param listener gets the last lines that the process wrote to stderr */
  readonly onExit: (listener: (code: number | null, lastOutput: string) => void) => void
}

/** How the service is. */
export type ServiceState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up'; readonly url: string; readonly own: boolean; readonly restarted: boolean }
  | {
      readonly kind: 'down'
      readonly why: string
      readonly restartInMs: number
      readonly crashes: number
      readonly looping: boolean
    }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'stopped' }

/** What the supervisor works with. */
export type SupervisorNeeds = {
  readonly data: string
  /** Undefined: the usual one, or the next free one. */
  readonly port?: number | undefined
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly startChild: (options: ServiceArguments) => ServiceChild
  /** The service that runs on the data folder already; undefined: none answers yet. */
  readonly findOther: () => Promise<{ readonly url: string; readonly ended: Promise<void> } | undefined>
  readonly onChange: (state: ServiceState) => void
}

// The service gives jobs 10 s and answers 2 s when it stops; source: STOP_GRACE_MS and ANSWER_GRACE_MS of server/main.
// The rest is for a busy machine: a service that is killed leaves its workers running.
const STOP_LIMIT_MS = 30_000
// Between looks for a service that has the lock and does not answer yet, in ms.
const CHECK_AGAIN_MS = 500

/** Has a life: start() and stop(), both safe to call twice. */
export class ServiceSupervisor {
  readonly #needs: SupervisorNeeds
  #state: ServiceState = { kind: 'stopped' }
  #child: { readonly child: ServiceChild; readonly ended: Promise<void> } | undefined
  #port: number | undefined
  #crashedAt: number[] = []
  #wasUp = false
  #cancelTimer: () => void = () => undefined
  #stopped: Promise<void> | undefined

  constructor(needs: SupervisorNeeds) {
    this.#needs = needs
    this.#port = needs.port
  }

  /** How the service is now. */
  get state(): ServiceState {
    return this.#state
  }

  /** Begins; `onChange` tells what comes of it. */
  start(): void {
    if (this.#state.kind === 'stopped' && this.#stopped === undefined) this.#begin()
  }

  /** Tries again at once what was refused, or waits for its pause. */
  retry(): void {
    if (this.#state.kind !== 'refused' && this.#state.kind !== 'down') return
    this.#cancelTimer()
    this.#begin()
  }

  /** Stops what it started, in order; a service of somebody else goes on. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    this.#cancelTimer()
    const running = this.#child
    if (running !== undefined) {
      running.child.post(STOP)
      const cancel = this.#needs.time.after(STOP_LIMIT_MS, () => running.child.kill())
      await running.ended
      cancel()
    }
    this.#change({ kind: 'stopped' })
  }

  #begin(): void {
    this.#change({ kind: 'starting' })
    const { data, startChild } = this.#needs
    const child = startChild({ data, ...(this.#port === undefined ? {} : { port: this.#port }) })
    const ended = Promise.withResolvers<void>()
    this.#child = { child, ended: ended.promise }
    let refused: { readonly reason: string; readonly why: string } | undefined
    child.onMessage((message) => {
      const { data: reported } = serviceMessage.safeParse(message)
      if (reported?.kind === 'refused') refused = reported
      if (reported?.kind === 'ready') this.#up(reported.url, true)
    })
    child.onExit((code, lastOutput) => {
      this.#child = undefined
      ended.resolve()
      if (this.#stopped !== undefined) return
      if (refused === undefined) this.#crashed(code, lastOutput)
      else this.#refused(refused)
    })
  }

  #up(url: string, own: boolean): void {
    if (this.#stopped !== undefined) return
    // After a crash the same address, so that windows find it again.
    if (own) this.#port = Number(new URL(url).port)
    this.#change({ kind: 'up', url, own, restarted: this.#wasUp })
    this.#wasUp = true
  }

  #crashed(code: number | null, lastOutput: string): void {
    const now = this.#needs.time.monotonic()
    this.#crashedAt = [...this.#crashedAt, now].slice(-20)
    const { pauseMs, crashes, looping } = planRestart(this.#crashedAt, now)
    const why = lastOutput || (code === null ? 'it was killed' : `it ended with code ${code}`)
    this.#change({ kind: 'down', why, restartInMs: pauseMs, crashes, looping })
    this.#later(pauseMs, () => this.#begin())
  }

  #refused({ reason, why }: { readonly reason: string; readonly why: string }): void {
    if (reason === 'locked') void this.#attach()
    else if (reason === 'port-taken' && this.#needs.port === undefined && this.#port !== undefined) {
      // Somebody took it while the service was down, and nobody asked for this one.
      this.#port = undefined
      this.#begin()
    } else this.#change({ kind: 'refused', why })
  }

  async #attach(): Promise<void> {
    const other = await this.#needs.findOther()
    if (this.#stopped !== undefined) return
    if (other === undefined) {
      // It is just starting or just ending.
      this.#later(CHECK_AGAIN_MS, () => this.#begin())
      return
    }
    this.#up(other.url, false)
    await other.ended
    if (this.#stopped === undefined) this.#begin()
  }

  #later(ms: number, run: () => void): void {
    this.#cancelTimer = this.#needs.time.after(ms, run)
  }

  #change(state: ServiceState): void {
    this.#state = state
    this.#needs.onChange(state)
  }
}

// When a service that ended by itself is started again.

/** The verdict after a crash. */
type RestartPlan = {
  readonly pauseMs: number
  /** Crashes that count, this one included. */
  readonly crashes: number
  /** So many that it will hardly go by itself: somebody should look at the log. */
  readonly looping: boolean
}

// Source: ours. The first restart is quick, as most crashes are single ones; a loop must not keep the machine busy.
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
// A crash this long ago is another story, in ms; twice what a loop at the longest pause takes for a handful.
const FORGET_MS = 5 * 60_000
const LOOP_FROM = 4

/**
 * Evaluates how long to wait: 0.5 s after the first crash, then 1 s, 2 s ... 30 s.
 * @param crashedAt times of the crashes in steady ms, newest last
 * @param now steady ms
 */
export function planRestart(crashedAt: readonly number[], now: number): RestartPlan {
  const crashes = crashedAt.filter((at) => now - at < FORGET_MS).length
  return {
    pauseMs: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, crashes - 1)),
    crashes,
    looping: crashes >= LOOP_FROM,
  }
}
