/**
 * All processes of a worker, also those that left its process group with setsid: the members of its cgroup where it has
 * one, else on Linux those that descend from it or carry its id in their environment. Elsewhere the group alone.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Clock, Log } from '../../services/ports/system.ts'
import { signalGroup, signalProcess } from './process-identity.ts'
import { endCgroup, membersOf } from './worker-cgroup.ts'

/** A worker as its processes are found. */
export type TreeRoot = {
  readonly workerId: string
  readonly pid: number | undefined
  /** Folder of its cgroup; undefined: it has none. */
  readonly cgroup: string | undefined
}

/** A process, told apart from a later one of the same pid by its start. */
export type ProcessMark = { readonly pid: number; readonly startedAt: string }

type Seen = ProcessMark & { readonly parent: number; readonly group: number; readonly ofWorker: string | undefined }

// How long killed processes may take to be gone; one that waits for a broken disk may take for ever. In ms.
const CHECK_MS = 20
const MAX_CHECKS = 100
// Files that are open at once.
const AT_ONCE = 64
const MARK = 'RUNPOD_POD_ID='

/** Sends a signal to the group of a worker and to whatever else its cgroup holds. */
export function signalTree({ pid, cgroup }: TreeRoot, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalGroup(pid, signal)
  for (const member of cgroup === undefined ? [] : membersOf(cgroup)) signalProcess(member, signal)
}

/**
 * Looks for the processes of workers without a cgroup while their parents are known: what has cleared its environment
 * is found by its descent alone. None elsewhere than on Linux.
 */
export async function findProcesses(roots: readonly TreeRoot[]): Promise<readonly ProcessMark[]> {
  if (process.platform !== 'linux' || roots.length === 0) return []
  const ids = new Set(roots.map(({ workerId }) => workerId))
  const pids = new Set(roots.flatMap(({ pid }) => pid ?? []))
  const all = await readProcesses(ids)
  const childrenOf = Map.groupBy(all, ({ parent }) => parent)
  const found = new Set(all.filter((one) => one.ofWorker !== undefined || pids.has(one.group)))
  for (const one of found) for (const child of childrenOf.get(one.pid) ?? []) found.add(child)
  return [...found]
}

/**
 * Kills all processes of workers and waits until they are gone.
 * @param before what was found while the workers ran
 */
export async function endTrees(
  roots: readonly TreeRoot[],
  { clock, log, before = [] }: { readonly clock: Clock; readonly log: Log; readonly before?: readonly ProcessMark[] },
): Promise<void> {
  const withCgroup = roots.flatMap(({ cgroup }) => cgroup ?? [])
  const others = roots.filter(({ cgroup }) => cgroup === undefined)
  for (let check = 0; check < MAX_CHECKS; check++) {
    const cgroupsEnded = withCgroup.map(endCgroup).every(Boolean)
    const left = [...(await findProcesses(others)), ...(await stillThere(before))]
    if (cgroupsEnded && left.length === 0) return
    for (const { pid } of left) signalProcess(pid, 'SIGKILL')
    await new Promise<void>((resolve) => clock.after(CHECK_MS, resolve))
  }
  log.warn('processes of a worker did not end', { workers: roots.map(({ workerId }) => workerId) })
}

async function stillThere(marks: readonly ProcessMark[]): Promise<readonly ProcessMark[]> {
  const seen = await Promise.all(marks.map(({ pid }) => readProcess(String(pid), new Set())))
  return marks.filter(({ startedAt }, index) => seen[index]?.startedAt === startedAt)
}

async function readProcesses(ids: ReadonlySet<string>): Promise<readonly Seen[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const seen: Seen[] = []
  while (pids.length > 0) {
    const some = await Promise.all(pids.splice(-AT_ONCE).map((pid) => readProcess(pid, ids)))
    seen.push(...some.filter((one) => one !== undefined))
  }
  return seen
}

/** @returns undefined where it is gone, or has ended and is not reaped yet */
async function readProcess(pid: string, ids: ReadonlySet<string>): Promise<Seen | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold anything. source: proc_pid_stat(5); the first field here is the third there
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    const startedAt = fields[19] ?? ''
    if (state === 'Z' || state === 'X') return undefined
    const ofWorker = ids.size === 0 ? undefined : await workerOf(pid, ids)
    return { pid: Number(pid), parent: Number(parent), group: Number(group), startedAt, ofWorker }
  } catch {
    return undefined // it went away meanwhile
  }
}

async function workerOf(pid: string, ids: ReadonlySet<string>): Promise<string | undefined> {
  try {
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0')
    const id = variables.find((variable) => variable.startsWith(MARK))?.slice(MARK.length)
    return id !== undefined && ids.has(id) ? id : undefined
  } catch {
    return undefined // somebody else's
  }
}
