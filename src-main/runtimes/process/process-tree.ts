/**
 * All processes of a worker, even after setsid: its cgroup, else on Linux descendants and those with its id in their
 * environment, elsewhere the process group.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { Clock, Log } from '../../lib/clock.ts'
import { pause } from '../../lib/wait.ts'
import { signalGroup, signalProcess } from './process-identity.ts'
import { endCgroup, membersOf } from './worker-cgroup.ts'

export type TreeRoot = {
  readonly workerId: string
  readonly pid: number | undefined
  readonly cgroup: string | undefined
}

/** A process, distinguished from a later one with its pid by start time. */
export type ProcessMark = { readonly pid: number; readonly startedAt: string }

type Seen = ProcessMark & { readonly parent: number; readonly group: number; readonly ofWorker: string | undefined }

// Wait for killed processes, in ms; one blocked on a broken disk may never end.
const CHECK_MS = 20
const MAX_CHECKS = 100
// Open files at once: there may be thousands of processes, and the service needs handles too.
const AT_ONCE = 64
const MARK = 'RUNPOD_POD_ID='

export function signalTree({ pid, cgroup }: TreeRoot, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalGroup(pid, signal)
  for (const member of cgroup === undefined ? [] : membersOf(cgroup)) signalProcess(member, signal)
}

/** Finds processes while parents are known: a cleared environment is only found by descent. Linux only. */
export async function findProcesses(roots: readonly TreeRoot[]): Promise<readonly ProcessMark[]> {
  if (process.platform !== 'linux' || roots.length === 0) return []
  const ids = new Set(roots.map(({ workerId }) => workerId))
  const pids = new Set(roots.flatMap(({ pid }) => pid ?? []))
  const all = await readProcesses((pid) => readProcess(pid, ids))
  const childrenOf = Map.groupBy(all, ({ parent }) => parent)
  const found = new Set(all.filter((one) => one.ofWorker !== undefined || pids.has(one.group)))
  for (const one of found) for (const child of childrenOf.get(one.pid) ?? []) found.add(child)
  return [...found]
}

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
    await pause(clock, CHECK_MS)
  }
  log.warn('processes of a worker did not end', { workers: roots.map(({ workerId }) => workerId) })
}

async function stillThere(marks: readonly ProcessMark[]): Promise<readonly ProcessMark[]> {
  const seen = await Promise.all(marks.map(({ pid }) => readProcess(String(pid), new Set())))
  return marks.filter(({ startedAt }, index) => seen[index]?.startedAt === startedAt)
}

export async function readProcesses<One>(read: (pid: string) => Promise<One | undefined>): Promise<readonly One[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const seen: One[] = []
  const note = (one: One | undefined) => one !== undefined && seen.push(one)
  while (pids.length > 0) await Promise.all(pids.splice(-AT_ONCE).map((pid) => read(pid).then(note)))
  return seen
}

async function readProcess(pid: string, ids: ReadonlySet<string>): Promise<Seen | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The bracketed name may contain anything. source: proc_pid_stat(5); the first field here is the third there
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    const startedAt = fields[19] ?? ''
    if (state === 'Z' || state === 'X') return undefined
    const ofWorker = ids.size === 0 ? undefined : await workerOf(pid, ids)
    return { pid: Number(pid), parent: Number(parent), group: Number(group), startedAt, ofWorker }
  } catch {
    return undefined
  }
}

async function workerOf(pid: string, ids: ReadonlySet<string>): Promise<string | undefined> {
  try {
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0')
    const id = variables.find((variable) => variable.startsWith(MARK))?.slice(MARK.length)
    return id !== undefined && ids.has(id) ? id : undefined
  } catch {
    return undefined
  }
}
