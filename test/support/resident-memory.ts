import { readFileSync } from 'node:fs'

/** Memory of a process that lies in the machine's, in MiB; on Linux alone. @throws Error where it has ended */
export function residentMb(pid: number): number {
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(resident) / 1024
}
