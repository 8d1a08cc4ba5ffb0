/**
 * Keeps a service up for the desktop.
 *
 *   starting ── ready ──▶ up (own) ── process ends ──▶ down ── pause ──▶ starting
 *      │                    ▲
 *      ├── refused: in use ─┴─▶ up (not own): somebody else's, like `drydock serve`; when it ends ──▶ starting
 *      └── refused otherwise ──▶ refused, until retry()
 *
 * The lock of the data folder decides whether a service runs on it: a file that names one may be left over.
 */
import { z } from 'zod'
import type { TimeSource } from '../core.ts'
import { START_CODES } from '../server/data-folder.ts'

/** How to start a service. */
export type ServiceArguments = {
  readonly data: string
  /** Undefined: the usual one, or the next free one. */
  readonly port?: number | undefined
}

/** How the process of a service ended: its exit code or signal, and the end of its stderr. */
export type ServiceEnd = { readonly code: number | null; readonly signal: string | null; readonly output: string }

/** The process of a service. */
export type ServiceChild = {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined
  /** Asks the service to stop gracefully. */
  readonly stop: () => void
  /** Kills the process. */
  readonly kill: () => void
  /** @param listener gets the address of the service */
  readonly onReady: (listener: (url: string) => void) => void
  readonly onExit: (listener: (end: ServiceEnd) => void) => void
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
export type SupervisorNeeds = ServiceArguments & {
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

  /** Ends the wait for running jobs of a stop that has begun; the service queues them again. */
  hurry(): void {
    this.#child?.child.stop()
  }

  async #end(): Promise<void> {
    this.#cancelTimer()
    const running = this.#child
    if (running !== undefined) {
      running.child.stop()
      const cancel = this.#needs.time.after(STOP_LIMIT_MS, () => running.child.kill())
      await running.ended
      cancel()
    }
    this.#change({ kind: 'stopped' })
  }

  #begin(): void {
    this.#change({ kind: 'starting' })
    const child = this.#startChild()
    if (child === undefined) return
    const ended = Promise.withResolvers<void>()
    this.#child = { child, ended: ended.promise }
    child.onReady((url) => this.#up(url, true))
    child.onExit((end) => {
      this.#child = undefined
      ended.resolve()
      if (this.#stopped !== undefined) return
      const refusal = refusalOf(end)
      if (refusal === undefined) this.#crashed(end)
      else this.#refused(refusal)
    })
  }

  // The log of its output may not be writable.
  #startChild(): ServiceChild | undefined {
    const { data, startChild } = this.#needs
    try {
      return startChild({ data, port: this.#port })
    } catch (error) {
      this.#change({ kind: 'refused', why: (error as Error).message })
      return undefined
    }
  }

  #up(url: string, own: boolean): void {
    if (this.#stopped !== undefined) return
    // After a crash the same address, so that windows find it again.
    if (own) this.#port = Number(new URL(url).port)
    this.#change({ kind: 'up', url, own, restarted: this.#wasUp })
    this.#wasUp = true
  }

  #crashed(end: ServiceEnd): void {
    const now = this.#needs.time.monotonic()
    this.#crashedAt = [...this.#crashedAt, now].slice(-20)
    const { pauseMs, crashes, looping } = planRestart(this.#crashedAt, now)
    this.#change({ kind: 'down', why: whyEnded(end), restartInMs: pauseMs, crashes, looping })
    this.#later(pauseMs, () => this.#begin())
  }

  #refused({ code, error: why }: Refusal): void {
    if (code === START_CODES.locked) void this.#attach()
    else if (code === START_CODES['port-taken'] && !this.#needs.port && this.#port !== this.#needs.port) {
      // Another program took it while the service was down, and the user did not ask for this one.
      this.#port = this.#needs.port
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

const refusal = z.object({ error: z.string(), code: z.enum(Object.values(START_CODES)) })
type Refusal = z.infer<typeof refusal>

/** Reads the error of a failed start, which is the last line, as JSON. Undefined if it ended for another reason. */
function refusalOf({ code, output }: ServiceEnd): Refusal | undefined {
  if (code === null || code === 0) return undefined
  try {
    return refusal.safeParse(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')).data
  } catch {
    return undefined
  }
}

const REASON_CHARACTERS = 300
// Node prints an uncaught error on its own line above the stack; V8 prints a fatal error like this.
const ERROR_LINE = /^(?:(?:Uncaught )?\w*Error\b.*:|FATAL ERROR:)/

/** Says in one line why a service that was running or starting ended. */
function whyEnded({ code, signal, output }: ServiceEnd): string {
  const lines = output.split('\n').flatMap((line) => messageOf(line.trim()) || [])
  const error = lines.findLast((line) => ERROR_LINE.test(line))
  const said = (error ?? (signal === null ? lines.at(-1) : undefined))?.slice(0, REASON_CHARACTERS)
  if (signal === 'SIGKILL') return 'it was killed'
  if (signal !== null) return `it was ended by ${signal}${said === undefined ? '' : `: ${said}`}`
  return said ?? `it ended with code ${code}`
}

// Commands print their errors as JSON here.
function messageOf(line: string): string {
  try {
    return String(JSON.parse(line).error ?? line)
  } catch {
    return line
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
