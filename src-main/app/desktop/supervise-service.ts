/**
 *   starting ── ready ──▶ up (own) ── process exits ──▶ down ── pause ──▶ starting
 *      │                    ▲
 *      ├── refused: in use ─┴─▶ up (not own): another process, like `drydock serve`; when it exits ──▶ starting
 *      └── refused otherwise ──▶ refused, until retry()
 *
 * The lock of the data folder decides whether a service runs on it, because service.json may be stale.
 */
import { z } from 'zod'
import { isRecord, plainJson } from '../../lib/json/plain.ts'
import { portOfService } from '../../lib/own-addresses.ts'
import { START_CODES } from '../../lib/start-error.ts'
import type { TimeSource } from '../core.ts'

export type ServiceArguments = {
  readonly data: string
  readonly port?: number | undefined
}

export type ServiceEnd = { readonly code: number | null; readonly signal: string | null; readonly output: string }

export type ServiceChild = {
  readonly pid: number | undefined
  readonly stop: () => void
  readonly kill: () => void
  readonly onReady: (listener: (url: string) => void) => void
  readonly onExit: (listener: (end: ServiceEnd) => void) => void
}

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

export type SupervisorNeeds = ServiceArguments & {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly startChild: (options: ServiceArguments) => ServiceChild
  readonly findOther: () => Promise<{ readonly url: string; readonly ended: Promise<void> } | undefined>
  readonly onChange: (state: ServiceState) => void
}

// A stopping service waits 10 s for jobs and 2 s for responses (STOP_GRACE_MS and ANSWER_GRACE_MS in app/headless/main). The
// rest allows for busy machines, as killing it leaves workers running.
const STOP_LIMIT_MS = 30_000
// Poll interval while another service holds the lock but is not ready, ms.
const CHECK_AGAIN_MS = 500

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

  get state(): ServiceState {
    return this.#state
  }

  start(): void {
    if (this.#state.kind === 'stopped' && this.#stopped === undefined) this.#begin()
  }

  retry(): void {
    if (this.#state.kind !== 'refused' && this.#state.kind !== 'down') return
    this.#cancelTimer()
    this.#begin()
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

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
    // Reuses the port after a crash, so that pages can reconnect.
    if (own) this.#port = portOfService(url)
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
      // Another program took the port meanwhile, and the user did not request this one.
      this.#port = this.#needs.port
      this.#begin()
    } else this.#change({ kind: 'refused', why })
  }

  async #attach(): Promise<void> {
    const other = await this.#needs.findOther()
    if (this.#stopped !== undefined) return
    if (other === undefined) {
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

function refusalOf({ code, output }: ServiceEnd): Refusal | undefined {
  if (code === null || code === 0) return undefined
  return refusal.safeParse(plainJson(output.trimEnd().split('\n').at(-1) ?? '')).data
}

const REASON_CHARACTERS = 300
// Node prints an uncaught error on its own line above the stack; V8 prints a fatal error like this.
const ERROR_LINE = /^(?:(?:Uncaught )?\w*Error\b.*:|FATAL ERROR:)/

function whyEnded({ code, signal, output }: ServiceEnd): string {
  const lines = output.split('\n').flatMap((line) => messageOf(line.trim()) || [])
  const error = lines.findLast((line) => ERROR_LINE.test(line))
  const said = (error ?? (signal === null ? lines.at(-1) : undefined))?.slice(0, REASON_CHARACTERS)
  if (signal === 'SIGKILL') return 'it was killed'
  if (signal !== null) return `it was terminated by ${signal}${said === undefined ? '' : `: ${said}`}`
  return said ?? `it exited with code ${code}`
}

function messageOf(line: string): string {
  const read = plainJson(line)
  return isRecord(read) ? String(read.error ?? line) : line
}

type RestartPlan = {
  readonly pauseMs: number
  readonly crashes: number
  readonly looping: boolean
}

// The first restart is quick because most crashes happen once; later ones back off. Source: ours.
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
// Older crashes do not count, ms. A loop at the longest pause reaches LOOP_FROM within half this time.
const FORGET_MS = 5 * 60_000
const LOOP_FROM = 4

/**
 * Restart pause: 0.5 s, then 1 s, 2 s ... 30 s.
 * @param crashedAt monotonic times in ms, newest last
 * @param now monotonic ms
 */
export function planRestart(crashedAt: readonly number[], now: number): RestartPlan {
  const crashes = crashedAt.filter((at) => now - at < FORGET_MS).length
  return {
    pauseMs: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, crashes - 1)),
    crashes,
    looping: crashes >= LOOP_FROM,
  }
}
