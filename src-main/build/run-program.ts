import { spawn } from 'node:child_process'

// The end of what a program prints that is kept; source: ours, hundreds of lines, of which a person reads the last.
const TAIL_CHARACTERS = 64 * 1024

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
  /** Gets every line of both outputs; the outputs are then kept by their end only. */
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a program to its end, in a process group of its own: at the limit or an abort everything that it started ends
 * with it.
 * @throws the reason of the signal when it was aborted
 */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const { command, args, cwd, env, limitMs, onLine, signal } = program
  signal?.throwIfAborted()
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    )
    child.once('close', (code) => resolve(code ?? -1))
  })
  const outputs = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    const lines = onLine === undefined ? undefined : splitLines(onLine)
    // Where no more files can be opened it has none, whatever its type says, and its error tells why.
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      outputs[name] = onLine === undefined ? outputs[name] + text : (outputs[name] + text).slice(-TAIL_CHARACTERS)
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
  const limit = setTimeout(() => {
    late = true
    end()
  }, limitMs)
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

function splitLines(onLine: (line: string) => void): (text: string) => void {
  let begun = ''
  return (text) => {
    const lines = (begun + text).split(/[\r\n]+/)
    begun = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd())
  }
}
