import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

// Characters kept of the end of a program's output; source: ours, hundreds of lines, of which only the last are read.
const TAIL_CHARACTERS = 64 * 1024

// Progress checks are counted instead of time, so that a sleeping or busy machine costs a program none.
const MAX_CHECKS = 20

/** `missing`: it could not be started; `late`: it was stopped at its limit. */
export type ProgramEnd =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'late' }

export type Program = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly limitMs: number
  /** `limitMs` covers the total time, or a continuous time without output or writes. */
  readonly limits?: 'all' | 'no progress'
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * In its own process group, so that a limit or abort also ends its children.
 * @throws the signal's reason when aborted
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
    // If no more files can be opened, there is no stream, despite its type.
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

/** Installers download silently. Only Linux reports bytes written; elsewhere only output counts as progress. */
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
