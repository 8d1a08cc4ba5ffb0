import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** Where text goes: a terminal, a file or a pipe; a list in tests. */
export type TextTarget = {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  /** Width of the terminal; 0 where a terminal does not tell it. */
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  /** Of a terminal: is notified of another size. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

/** Where text comes from: a terminal, a file or a pipe. */
export type TextSource = AsyncIterable<string | Uint8Array> & {
  readonly isTTY?: boolean | undefined
  /** Of a terminal: gives each key as it is, also Ctrl+C, and shows none. */
  setRawMode?(raw: boolean): unknown
  destroy?(): unknown
}

/** Signals that ask a long-running command to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Questions to the person at the terminal. */
export type Ask = {
  /** No, and breaking off, are false. */
  readonly yes: (question: string) => Promise<boolean>
  /** What is typed is not shown. Undefined: the person broke off. */
  readonly secret: (question: string) => Promise<string | undefined>
}

/** Everything outside the command line that a command looks at, as an argument, so that tests can give their own. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute folder that relative paths are meant against. */
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly home: string
  /** ms since the epoch. */
  readonly now: () => number
  /** Settles after so many ms; fails when the signal comes first. */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Asks the person at the terminal; only where one sits there. */
  readonly ask: Ask
  readonly stdin: TextSource
  readonly stdout: TextTarget
  readonly stderr: TextTarget
  /** Calls the listener at every stop signal; returns how to end that. */
  readonly onStopSignal: (listener: (signal: StopSignal) => void) => () => void
  /**
   * Calls the listener when standard input ends: whoever holds it is gone. From now on what is written to nobody is
   * lost, where it would have ended the process. Returns how to end that.
   */
  readonly onInputEnd: (listener: () => void) => () => void
  /** Ends the process at once. */
  readonly exitNow: (code: number) => void
}

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

// The prompts are loaded when they are needed: most commands ask nothing.
const TERMINAL: Ask = {
  async yes(message) {
    const { confirm } = await import('@clack/prompts')
    return (await confirm({ message, initialValue: false })) === true
  },
  async secret(message) {
    const { password, isCancel } = await import('@clack/prompts')
    const value = await password({ message })
    return isCancel(value) ? undefined : value
  },
}

/** The surroundings of this process. */
export function processSurroundings(): Surroundings {
  let outlives = false
  // The reader of a pipe may leave early, as `head` does: then there is nobody left to tell.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!outlives) process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  return {
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    home: homedir(),
    now: () => Date.now(),
    pause: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
    ask: TERMINAL,
    // A getter: looking at `process.stdin` opens it, which only commands that read it should do.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    onStopSignal(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener)
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener)
      }
    },
    onInputEnd(listener) {
      outlives = true
      process.stderr.on('error', () => undefined)
      process.stdin.once('close', listener).resume()
      return () => {
        process.stdin.off('close', listener)
        process.stdin.destroy() // open, it would keep the process alive
      }
    },
    exitNow: (code) => process.exit(code),
  }
}
