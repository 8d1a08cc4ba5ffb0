import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A running process. `workerId` is set if its environment contains one. */
export type SeenProcess = { readonly pid: number; readonly workerId: string | undefined }

/**
 * Finds all running processes with a mark in their environment, which child processes inherit. Ignores zombies.
 * @param mark unique `NAME=value`
 */
export function processesMarked(mark: string): readonly SeenProcess[] {
  return environments().flatMap(({ pid, environment }) =>
    pid !== process.pid && environment.includes(mark)
      ? [{ pid, workerId: /\bRUNPOD_POD_ID=([a-z0-9]+)/.exec(environment)?.[1] }]
      : [],
  )
}

/** Finds all running processes by a text in their command line, because Chromium overwrites its environment. */
export function processesNaming(text: string): readonly { readonly pid: number }[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) =>
    pid !== process.pid && readIfThere(`/proc/${pid}/cmdline`).includes(text) ? [{ pid }] : [],
  )
}

/** Sends a signal, and ignores a process that has already exited. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Interrupts those of `processes` that are in the group of the leader, as Ctrl+C in a terminal does. Linux only. */
export function pressCtrlC(leader: number | undefined, processes: readonly Pick<SeenProcess, 'pid'>[]): void {
  for (const { pid } of processes) if (groupOf(pid) === groupOf(leader)) signal(pid, 'SIGINT')
}

const groupOf = (pid: number | undefined) => readIfThere(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[2]

// A process that exits before it is read has an empty environment.
function environments(): readonly { readonly pid: number; readonly environment: string }[] {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
    return pids.map((pid) => ({ pid, environment: readIfThere(`/proc/${pid}/environ`) }))
  }
  const lines = execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'latin1' }).split('\n')
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), environment: line }))
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // Exited, or owned by another user.
  }
}
