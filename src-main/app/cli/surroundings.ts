import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { END_VARIABLE } from '../../contract/command-variables.ts'

export type TextTarget = {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export type TextSource = AsyncIterable<string | Uint8Array> & {
  readonly isTTY?: boolean | undefined
  setRawMode?(raw: boolean): unknown
  destroy?(): unknown
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export type Ask = {
  readonly yes: (question: string) => Promise<boolean>
  /** Reads a secret without echo on the terminal. Undefined: the user aborted. */
  readonly secret: (question: string) => Promise<string | undefined>
  readonly pick: (question: string, options: readonly string[]) => Promise<number | undefined>
}

/** The environment of a command as an argument, so that tests can replace it. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly now: () => number
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly ask: Ask
  readonly stdin: TextSource
  readonly stdout: TextTarget
  readonly stderr: TextTarget
  readonly onStopSignal: (listener: (signal: StopSignal) => void) => () => void
  /** Later output to a closed pipe is dropped instead of crashing. */
  readonly onInputEnd: (listener: () => void) => () => void
  readonly exitNow: (code: number) => void
}

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

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
  async pick(message, options) {
    const { select, isCancel } = await import('@clack/prompts')
    const at = await select({ message, options: options.map((label, value) => ({ label, value })) })
    return isCancel(at) ? undefined : at
  },
}

export function processSurroundings(): Surroundings {
  let outlives = false
  // The reader of a pipe may leave early, as `head` does; then nobody is left to tell.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!outlives) process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  const onInputEnd: Surroundings['onInputEnd'] = (listener) => {
    outlives = true
    process.stderr.on('error', () => undefined)
    process.stdin.once('close', listener).resume()
    return () => {
      process.stdin.off('close', listener)
      process.stdin.destroy()
    }
  }
  return {
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    home: homedir(),
    now: () => Date.now(),
    pause: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
    ask: TERMINAL,
    // A getter: accessing `process.stdin` opens it, which only commands that read should do.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    onStopSignal(listener) {
      for (const signal of STOP_SIGNALS) process.on(signal, listener)
      const offInput = process.env[END_VARIABLE] === 'yes' ? onInputEnd(() => listener('SIGHUP')) : undefined
      return () => {
        offInput?.()
        for (const signal of STOP_SIGNALS) process.off(signal, listener)
      }
    },
    onInputEnd,
    exitNow: (code) => process.exit(code),
  }
}
