/** The programs of the bench: each a process of its own, started and stopped here. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program that runs. */
export type Program = {
  readonly pid: number
  /** Sends a message and waits for the next one that comes back. */
  readonly ask: <T>(message: unknown) => Promise<T>
  readonly stop: () => Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

/** Notes a process, so that none outlives a bench that fails or is stopped. */
export function owned(child: ChildProcess): ChildProcess {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Folder of all of them. */
export const PROGRAMS = join(import.meta.dirname, '..', 'programs')

/** Path of a program. */
export const programPath = (name: string): string => join(PROGRAMS, `${name}.ts`)

/** Starts a program and waits for its first message, which says that it is ready. */
export async function startProgram<T>(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Program & { readonly ready: T }> {
  const child = owned(fork(programPath(name), args, { env: { ...process.env, ...env } }))
  const ready = (await nextMessage(child)) as T
  return {
    pid: child.pid ?? 0,
    ready,
    ask: async <A>(message: unknown) => {
      child.send(message as object)
      return (await nextMessage(child)) as A
    },
    stop: () => endProcess(child),
  }
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const gone = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(2)} ended with ${code}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), gone])
    return message
  } finally {
    ended.abort()
    gone.catch(() => undefined)
  }
}

// An orderly end takes far less; a bench that hangs says nothing.
const END_MS = 10_000

/** Ends a process and waits until it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  const kill = setTimeout(() => child.kill('SIGKILL'), END_MS)
  child.kill('SIGTERM')
  await exit
  clearTimeout(kill)
}

/** Ends a process that was started in a group of its own (`detached`), and then all that it has left behind. */
export async function endGroup(child: ChildProcess): Promise<void> {
  await endProcess(child)
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // nothing is left of it
  }
}
