/**
 * A cgroup (version 2) per worker, which no process can leave by setsid or a cleared environment. Possible as root or
 * in a systemd-delegated folder; nothing is limited by it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { signalProcess } from './process-identity.ts'

export type WorkerCgroups = {
  /** @returns the cgroup's folder; processes join by writing their pid into `cgroup.procs` */
  readonly make: (workerId: string) => string
}

const NAME = 'drydock-'
const PROBE_TIMEOUT_MS = 5000

export function findCgroups(): WorkerCgroups | undefined {
  const parent = process.platform === 'linux' ? ownCgroup() : undefined
  if (parent === undefined) return undefined
  const make = (workerId: string) => {
    const folder = join(parent, `${NAME}${workerId}`)
    mkdirSync(folder)
    return folder
  }
  try {
    const probe = make(`probe-${process.pid}`)
    const enters = spawnSync('/bin/sh', ['-c', 'echo $$ >"$0"', join(probe, 'cgroup.procs')], {
      stdio: 'ignore',
      timeout: PROBE_TIMEOUT_MS,
    })
    rmdirSync(probe)
    return enters.status === 0 ? { make } : undefined
  } catch {
    return undefined
  }
}

function ownCgroup(): string | undefined {
  try {
    const own = /^0::(.+)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
    const mount = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .find((line) => line.includes(' - cgroup2 '))
    const [, , , root, mountPoint] = mount?.split(' ') ?? []
    if (own === undefined || root === undefined || mountPoint === undefined) return undefined
    const inside = relative(root, own)
    return inside.startsWith('..') ? undefined : join(mountPoint, inside)
  } catch {
    return undefined
  }
}

/** Validates a recorded folder as a worker's cgroup, since nothing else may be killed. */
export function workerCgroup(folder: string): string | undefined {
  return isAbsolute(folder) && basename(folder).startsWith(NAME) ? folder : undefined
}

export function membersOf(folder: string): readonly number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean).map(Number)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

export function endCgroup(folder: string): boolean {
  if (!existsSync(folder)) return true
  killAll(folder)
  try {
    removeCgroup(folder)
    return true
  } catch (error) {
    return isMissing(error)
  }
}

function killAll(folder: string): void {
  const kill = join(folder, 'cgroup.kill')
  if (existsSync(kill)) {
    writeFileSync(kill, '1')
    return
  }
  // Before Linux 5.14 one by one; the next call catches processes started meanwhile.
  for (const pid of membersOf(folder)) signalProcess(pid, 'SIGKILL')
}

function removeCgroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeCgroup(join(folder, entry.name))
  rmdirSync(folder)
}

// Linux returns ENODEV when reading a file of a removed cgroup.
function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENODEV'
}
