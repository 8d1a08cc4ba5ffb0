import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

// How much of the end of what a program prints is held, in characters; source: ours, hundreds of lines, of which a
// person reads the last.
const TAIL_CHARACTERS = 64 * 1024

// How often in its time a program without a limit is looked at. Looks are counted, and no time: a machine that was
// asleep or busy for long gives it as many as any other.
const MAX_CHECKS = 20

/** How a program ended. `missing`: it could not be started; `late`: it was ended at its limit. */
export type ProgramEnd =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'late' }

/** What to run. */
export type Program = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly limitMs: number
  /** What `limitMs` counts: all its time, or only time in a row in which it prints nothing and writes nothing. */
  readonly limits?: 'all' | 'no progress'
  /** Gets every line of both outputs; of the outputs only the end is then held. */
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a program to its end, in a process group of its own: at the limit or an abort everything that it started ends
 * with it.
 * @throws the reason of the signal when it was aborted
 */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const { command, args, cwd, env, limitMs, limits = 'all', onLine, signal } = program
  signal?.throwIfAborted()
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    )
    child.once('close', (code) => resolve(code ?? -1))
  })
  const outputs = { stdout: '', stderr: '' }
  let hasOutput = false
  for (const name of ['stdout', 'stderr'] as const) {
    const lines = onLine === undefined ? undefined : splitLines(onLine)
    // Where no more files can be opened it has none, whatever its type says, and its error tells why.
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      outputs[name] = onLine === undefined ? outputs[name] + text : (outputs[name] + text).slice(-TAIL_CHARACTERS)
      hasOutput = true
      lines?.(text)
    })
  }
  let late = false
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended in this moment.
    }
  }
  const tooLate = () => {
    late = true
    end()
  }
  let quiet = 0
  let written = -1
  let limit: NodeJS.Timeout
  const check = () => {
    const now = bytesWritten(child.pid)
    quiet = hasOutput || now > written ? 0 : quiet + 1
    hasOutput = false
    written = now
    if (quiet >= MAX_CHECKS) tooLate()
    else limit = setTimeout(check, limitMs / MAX_CHECKS)
  }
  limit = limits === 'all' ? setTimeout(tooLate, limitMs) : setTimeout(check, limitMs / MAX_CHECKS)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const exitCode = await exit
    signal?.throwIfAborted()
    if (exitCode === undefined) return { kind: 'missing' }
    return late ? { kind: 'late' } : { kind: 'ended', exitCode, ...outputs }
  } finally {
    clearTimeout(limit)
    signal?.removeEventListener('abort', end)
  }
}

/**
 * Bytes that a process wrote so far, to files above all: installers say nothing while they download, and write what
 * comes. Only Linux tells; elsewhere only what is printed counts as progress.
 */
function bytesWritten(pid: number | undefined): number {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function splitLines(onLine: (line: string) => void): (text: string) => void {
  let begun = ''
  return (text) => {
    const lines = (begun + text).split(/[\r\n]+/)
    begun = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd())
  }
}
