import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errorCode } from '../../domain/error-code.ts'

/**
 * Whether the process with this pid lives and is this worker: its environment must name the worker, because after a
 * restart the pid may belong to another program. A zombie counts as gone.
 */
export function isWorkerProcess(pid: number, workerId: string): boolean {
  return isAlive(pid) && environmentOf(pid).includes(`RUNPOD_POD_ID=${workerId}`)
}

/** Whether a process with this pid runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false // no such process
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false // init reaps there
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true // it went away meanwhile
  }
}

function environmentOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/environ`, 'latin1')
    return execFileSync('ps', ['-E', '-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'latin1' })
  } catch {
    return '' // it went away meanwhile, or is somebody else's
  }
}

/** Sends a signal to a process group; a group that is gone is fine. */
export const signalGroup = (pid: number, signal: NodeJS.Signals): void => send(-pid, signal)

/** Sends a signal to one process; one that is gone is fine, and so is one that became somebody else's. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): void => send(pid, signal)

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error // EPERM: macOS says so of a group of zombies
  }
}
