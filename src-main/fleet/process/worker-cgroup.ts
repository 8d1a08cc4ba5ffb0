/**
 * A cgroup (version 2) for each worker, below that of the service: whatever a worker starts stays in it, also what left
 * the process group with setsid or cleared its environment. The service may make one where it runs as root or in a
 * folder that systemd gave to its user; nothing is limited by it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative } from 'node:path'
import { errorCode } from '../../domain/error-code.ts'
import { signalProcess } from './process-identity.ts'

/** Makes and finds the cgroups of workers; undefined where the service may make none. */
export type WorkerCgroups = {
  /**
   * Makes the cgroup of a worker. @returns its folder; a process enters by writing its pid into `cgroup.procs` there
   */
  readonly make: (workerId: string) => string
}

const NAME = 'drydock-'
const PROBE_TIMEOUT_MS = 5000

/** Finds out, by trying, whether this process may make cgroups and move its children there. */
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
    return undefined // read only, or somebody else's
  }
}

/**
 * The folder of the cgroup of this process; undefined where version 2 is not mounted, or shows another part of the
 * tree.
 */
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

/** A folder that was written down, if it can be that of a worker: nothing else is ever killed. */
export function workerCgroup(folder: string): string | undefined {
  return isAbsolute(folder) && basename(folder).startsWith(NAME) ? folder : undefined
}

/** The processes of a cgroup; none where it is gone. */
export function membersOf(folder: string): readonly number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean).map(Number)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/**
 * Kills all that is in a cgroup and below it, and removes it. @returns false while something in it has not ended yet
 */
export function endCgroup(folder: string): boolean {
  if (!existsSync(folder)) return true
  killAll(folder)
  try {
    removeCgroup(folder)
    return true
  } catch (error) {
    return isMissing(error) // else busy: the killed are not gone yet
  }
}

function killAll(folder: string): void {
  const kill = join(folder, 'cgroup.kill')
  if (existsSync(kill)) {
    writeFileSync(kill, '1')
    return
  }
  // Before Linux 5.14 one by one; what is started meanwhile is met by the next call.
  for (const pid of membersOf(folder)) signalProcess(pid, 'SIGKILL')
}

function removeCgroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeCgroup(join(folder, entry.name))
  rmdirSync(folder)
}

// Linux says ENODEV of a file of a cgroup that was removed while it is read.
function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENODEV'
}
