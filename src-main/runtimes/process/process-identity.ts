import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errorCode } from '../../lib/error-code.ts'

/** Recognised by its environment, as pids are reused. Zombies do not count. */
export function isWorkerProcess(pid: number, workerId: string): boolean {
  return isAlive(pid) && environmentOf(pid).includes(`RUNPOD_POD_ID=${workerId}`)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}

function environmentOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/environ`, 'latin1')
    return execFileSync('ps', ['-E', '-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'latin1' })
  } catch {
    return ''
  }
}

export const signalGroup = (pid: number, signal: NodeJS.Signals): void => send(-pid, signal)

export const signalProcess = (pid: number, signal: NodeJS.Signals): void => send(pid, signal)

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error // macOS reports EPERM for a group of zombies
  }
}
