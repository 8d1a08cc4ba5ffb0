/**
 * Fleet driver for child processes, each a group leader and, if possible, in its own cgroup, so that its tree ends.
 * ID.pid, ID.log and ID.state are the worker's, ID.read the service's, ID.cgroup names its cgroup; a later run adopts
 * or ends them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GpuProcess } from '../../features/workers/rules/usage.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import { createLineBudget } from '../line-budget.ts'
import type { EndpointHosts, Fleet, FleetWorker, ServiceReach, WorkerExit, WorkerOutput, WorkerSpec } from '../port.ts'
import { commandLine, type Runtimes } from './command-line.ts'
import { type OutputFile, openOutputFile } from './output-file.ts'
import { isAlive, isWorkerProcess, signalGroup } from './process-identity.ts'
import { endTrees, findProcesses, type ProcessMark, signalTree, type TreeRoot } from './process-tree.ts'
import { createProcessUsageReader } from './read-usage.ts'
import { watchOutput } from './watch-output.ts'
import { endCgroup, findCgroups, type WorkerCgroups, workerCgroup } from './worker-cgroup.ts'

type Running = {
  readonly workerId: string
  readonly pid: number
  readonly cgroup: string | undefined
  readonly ports: Ports | undefined
  readonly output: OutputFile
  readonly child: ChildProcess | undefined
  readonly ended: Promise<void>
  readonly end: () => void
  cancelKill: (() => void) | undefined
  ending: boolean
  found: readonly ProcessMark[]
}

type Ports = { readonly port: number; readonly healthPort: number }

const FILE_KINDS = ['log', 'pid', 'read', 'state', 'cgroup'] as const
const FILE_ENDING = new RegExp(`\\.(${FILE_KINDS.join('|')})$`)

const POLL_MS = 250
const OUTPUT_MS = 30
// The shell writes its own pid and enters the cgroup, so that no child ever runs unknown or outside.
const WRITE_PID_THEN_RUN = 'echo $$ >"$0" && { [ -z "$1" ] || echo $$ >"$1/cgroup.procs"; shift; exec "$@"; }'

export function createProcessFleet({
  clock,
  log,
  folder,
  runtimes,
  environment,
  maxWorkers,
  reach,
  endpointHosts,
  freePort,
  gpuProcesses = async () => [],
  cgroups = findCgroups,
  watch,
}: {
  readonly clock: Clock
  readonly log: Log
  readonly folder: string
  readonly runtimes: Runtimes
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly maxWorkers: () => number
  readonly reach: () => ServiceReach
  readonly endpointHosts: () => Promise<EndpointHosts>
  readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
  readonly gpuProcesses?: (() => Promise<readonly GpuProcess[]>) | undefined
  readonly cgroups?: (() => WorkerCgroups | undefined) | undefined
  readonly watch?: Parameters<typeof watchOutput>[0]['watch']
}): Fleet {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const running = new Map<string, Running>()
  const reserved = new Set<number>()
  const exits = createEmitter<[WorkerExit]>()
  const outputs = createEmitter<[WorkerOutput]>()
  const packages = join(dirname(folder), 'packages')
  const file = (workerId: string, kind: (typeof FILE_KINDS)[number]) => join(folder, `${workerId}.${kind}`)
  const readUsage = createProcessUsageReader(clock, gpuProcesses)
  let stopPolling: (() => void) | undefined
  let outputDue = false
  let found: { readonly cgroups: WorkerCgroups | undefined } | undefined

  function reportLines({ workerId, output }: Running, lines: readonly string[]): void {
    if (lines.length === 0) return
    const position = output.position()
    const stored = () => output.remember(position)
    outputs.emit({ workerId, lines, at: clock.now(), stored })
  }

  function readOutput(): void {
    outputDue = false
    for (const worker of running.values()) reportLines(worker, worker.output.readLines())
    if ([...running.values()].some(({ output }) => output.moreWaits())) outputGrew()
  }

  function outputGrew(): void {
    if (outputDue) return
    outputDue = true
    clock.after(OUTPUT_MS, readOutput)
  }

  const openOutput = (workerId: string) =>
    openOutputFile(file(workerId, 'log'), file(workerId, 'read'), createLineBudget(clock.steady))

  const outputWatch = watchOutput({ folder, log, grew: outputGrew, ...(watch === undefined ? {} : { watch }) })

  // Adopted workers are not our children, so their end is polled.
  function poll(): void {
    stopPolling = clock.after(POLL_MS, () => {
      if (!outputWatch.isWatching()) outputGrew()
      for (const worker of [...running.values()]) {
        if (worker.child === undefined && !isAlive(worker.pid)) void ended(worker, undefined, undefined)
      }
      if (running.size > 0) poll()
      else stopPolling = undefined
    })
  }

  function track(
    { workerId, pid, cgroup, ports }: Pick<Running, 'workerId' | 'pid' | 'cgroup' | 'ports'>,
    child: ChildProcess | undefined,
  ): Running {
    let end: () => void = () => undefined
    const whenEnded = new Promise<void>((resolve) => {
      end = resolve
    })
    const output = openOutput(workerId)
    const worker: Running = {
      workerId,
      pid,
      cgroup,
      ports,
      output,
      child,
      ended: whenEnded,
      end,
      cancelKill: undefined,
      ending: false,
      found: [],
    }
    running.set(workerId, worker)
    if (stopPolling === undefined) poll()
    return worker
  }

  // Reported when everything is gone: its GPU memory is then free.
  async function ended(worker: Running, code: number | undefined, signal: string | undefined): Promise<void> {
    if (worker.ending) return
    worker.ending = true
    signalGroup(worker.pid, 'SIGKILL')
    worker.cancelKill?.()
    await endTrees([worker], { clock, log, before: worker.found }).catch((error) =>
      log.warn('children of a worker not ended', { workerId: worker.workerId, error }),
    )
    running.delete(worker.workerId)
    reportLines(worker, worker.output.readRest())
    worker.output.close()
    removeFiles(worker.workerId)
    exits.emit({ workerId: worker.workerId, code, signal, reason: undefined })
    worker.end()
  }

  function removeFiles(workerId: string): void {
    for (const kind of FILE_KINDS) rmSync(file(workerId, kind), { recursive: true, force: true })
  }

  // Two workers that start at once must not be given one port.
  async function reservePort(): Promise<number> {
    const taken = (port: number) =>
      reserved.has(port) ||
      [...running.values()].some(({ ports }) => ports?.port === port || ports?.healthPort === port)
    const port = await freePort(taken)
    if (taken(port)) return reservePort()
    reserved.add(port)
    return port
  }

  async function startWorker(spec: WorkerSpec): Promise<FleetWorker> {
    if (spec.loadBalanced === undefined) return spawnWorker(spec, undefined)
    const port = await reservePort()
    const healthPort = spec.loadBalanced.healthPort === undefined ? port : await reservePort()
    const env = { ...spec.env, PORT: String(port), PORT_HEALTH: String(healthPort) }
    try {
      return await spawnWorker({ ...spec, env }, { port, healthPort })
    } finally {
      reserved.delete(port)
      reserved.delete(healthPort)
    }
  }

  function spawnWorker(spec: WorkerSpec, ports: Ports | undefined): Promise<FleetWorker> {
    const folders = { SVC_STATE_FOLDER: file(spec.workerId, 'state'), SVC_PACKAGES_FOLDER: packages }
    const own = { ...spec, env: { ...spec.env, ...folders } }
    const { program, args, cwd, env } = commandLine(own, environment, runtimes)
    if (!existsSync(cwd)) throw new Error(`the working folder ${cwd} does not exist`)
    const cgroup = makeCgroup(spec.workerId)
    const outputFile = openSync(file(spec.workerId, 'log'), 'a', 0o600)
    const argument = [file(spec.workerId, 'pid'), cgroup ?? '']
    const child = spawn('/bin/sh', ['-c', WRITE_PID_THEN_RUN, ...argument, program, ...args], {
      cwd,
      env: cgroup === undefined ? { ...env, SVC_ADOPT_ORPHANS: '1' } : env,
      detached: true,
      stdio: ['ignore', outputFile, outputFile],
    })
    closeSync(outputFile)
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        if (cgroup !== undefined) endCgroup(cgroup)
        removeFiles(spec.workerId)
        reject(new Error(`the worker process could not be started: ${error.message}`))
      })
      child.once('spawn', () => {
        const pid = child.pid ?? 0
        const worker = track({ workerId: spec.workerId, pid, cgroup, ports }, child)
        child.once('exit', (code, signal) => void ended(worker, code ?? undefined, signal ?? undefined))
        resolve(toFleetWorker(worker))
      })
    })
  }

  function makeCgroup(workerId: string): string | undefined {
    found ??= { cgroups: cgroups() }
    try {
      const cgroup = found.cgroups?.make(workerId)
      if (cgroup !== undefined) writeFileSync(file(workerId, 'cgroup'), cgroup, { mode: 0o600 })
      return cgroup
    } catch (error) {
      log.warn('a worker has no cgroup', { workerId, error })
      return undefined
    }
  }

  function signalWorker(workerId: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const worker = running.get(workerId)
    if (worker !== undefined) signalTree(worker, signal)
  }

  async function stop(workerId: string, graceMs: number): Promise<void> {
    const worker = running.get(workerId)
    if (worker === undefined) return
    const kill = () => signalGroup(worker.pid, 'SIGKILL')
    worker.cancelKill?.()
    // Its descendants can only be determined while the worker is alive.
    if (worker.cgroup === undefined && !worker.ending) worker.found = await findProcesses([worker])
    if (graceMs > 0) signalGroup(worker.pid, 'SIGTERM')
    signalTree(worker, 'SIGCONT') // a frozen process reacts to nothing else
    if (graceMs > 0) worker.cancelKill = clock.after(graceMs, kill)
    else kill()
    await worker.ended
  }

  async function sweep(): Promise<void> {
    const left = new Set(readdirSync(folder).map((name) => name.replace(FILE_ENDING, '')))
    const roots = [...left].filter((workerId) => !running.has(workerId)).map(leftRoot)
    for (const { workerId, pid } of roots)
      if (pid !== undefined) log.warn('ended a worker of an earlier run', { workerId, pid })
    if (roots.length > 0) await endTrees(roots, { clock, log })
    for (const { workerId } of roots) removeFiles(workerId)
  }

  // Its first process may have ended after the service, leaving others.
  function leftRoot(workerId: string): TreeRoot {
    const pid = recordedPid(file(workerId, 'pid'))
    const lives = pid !== undefined && isWorkerProcess(pid, workerId)
    return { workerId, pid: lives ? pid : undefined, cgroup: recordedCgroup(file(workerId, 'cgroup')) }
  }

  return {
    ensure: async ({ callsHosts }) =>
      callsHosts === undefined ? reach() : { ...reach(), endpointHosts: await endpointHosts() },
    prepare: async () => undefined,
    start: startWorker,
    stop,
    pause: async (workerId) => signalWorker(workerId, 'SIGSTOP'),
    resume: async (workerId) => signalWorker(workerId, 'SIGCONT'),
    list: () => [...running.values()].map(toFleetWorker),
    async adopt({ workerId, handle }) {
      const pid = recordedPid(file(workerId, 'pid'))
      if (pid === undefined || !isWorkerProcess(pid, workerId)) return false
      const cgroup = recordedCgroup(file(workerId, 'cgroup'))
      signalTree({ workerId, pid, cgroup }, 'SIGCONT')
      const { port, healthPort } = JSON.parse(handle) as Partial<Ports>
      const ports = port === undefined || healthPort === undefined ? undefined : { port, healthPort }
      track({ workerId, pid, cgroup, ports }, undefined)
      return true
    },
    sweep,
    drainOutput(workerId) {
      const worker = running.get(workerId)
      if (worker !== undefined) reportLines(worker, worker.output.readLines())
    },
    capacity() {
      const free = Math.max(0, maxWorkers() - running.size)
      return { free, reason: free > 0 ? undefined : `${running.size} of ${maxWorkers()} worker processes are in use` }
    },
    refusal: async () => undefined,
    isAway: () => false,
    checkAway: async () => undefined,
    usage: (workerIds) => readUsage(workerIds.flatMap((id) => running.get(id) ?? [])),
    async openShell() {
      throw new Error('it runs as a process on this machine, so you can use any terminal')
    },
    onExit: exits.on,
    onOutput: outputs.on,
    onCapacity: () => undefined,
    async close() {
      await Promise.all([...running.keys()].map((workerId) => stop(workerId, 0)))
      stopPolling?.()
      outputWatch.close()
    },
  }
}

function toFleetWorker({ workerId, pid, ports }: Pick<Running, 'workerId' | 'pid' | 'ports'>): FleetWorker {
  const worker = { workerId, pid, handle: JSON.stringify({ pid, ...ports }) }
  return ports === undefined ? worker : { ...worker, address: { host: LOOPBACK, ...ports } }
}

function recordedPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim())
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

function recordedCgroup(path: string): string | undefined {
  return existsSync(path) ? workerCgroup(readFileSync(path, 'utf8')) : undefined
}
