/**
 * Fleet driver: workers as child processes, each the leader of its own process group, so that it ends with all its
 * children. A worker writes its pid and its output to files in one folder; after a crash of the service the next one
 * finds them there and takes the workers over or ends them. ID.pid, ID.log and the folder
 * ID.state are the worker's, ID.read is ours.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  type FSWatcher,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
} from 'node:fs'
import { join } from 'node:path'
import type {
  Clock,
  Fleet,
  FleetWorker,
  Log,
  ServiceReach,
  WorkerExit,
  WorkerOutput,
  WorkerSpec,
} from '../../services/ports.ts'
import { createLineBudget } from '../line-budget.ts'
import { commandLine, type Runtimes } from './command-line.ts'
import { type OutputFile, openOutputFile } from './output-file.ts'
import { isAlive, isWorkerProcess, signalGroup } from './process-identity.ts'
import { createProcessUsageReader } from './read-usage.ts'

/** What the driver needs. */
export type ProcessFleetOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Folder for pid and output files; made if missing. */
  readonly folder: string
  readonly runtimes: Runtimes
  readonly environment: Readonly<Record<string, string | undefined>>
  /** How many workers may run at once. */
  readonly maxWorkers: () => number
  /** Where its workers reach the service. */
  readonly reach: () => ServiceReach
  /** Finds a port of loopback that nobody listens on. */
  readonly freePort: (isTaken: (port: number) => boolean) => Promise<number>
}

type Running = {
  readonly workerId: string
  readonly pid: number
  readonly ports: Ports | undefined
  readonly output: OutputFile
  readonly child: ChildProcess | undefined
  readonly ended: Promise<void>
  readonly end: () => void
  cancelKill: (() => void) | undefined
}

/** Ports of loopback that were given to a load-balanced worker. */
type Ports = { readonly port: number; readonly healthPort: number }
type Identity = Pick<Running, 'workerId' | 'pid' | 'ports'>

const FILE_KINDS = ['log', 'pid', 'read', 'state'] as const
type FileKind = (typeof FILE_KINDS)[number]

const POLL_MS = 250
const OUTPUT_MS = 30
// The shell writes its own pid, which stays that of the worker: no moment in which a child runs and nobody knows its pid.
const WRITE_PID_THEN_RUN = 'echo $$ >"$0" && exec "$@"'

/** Makes the driver. */
export function createProcessFleet({
  clock,
  log,
  folder,
  runtimes,
  environment,
  maxWorkers,
  reach,
  freePort,
}: ProcessFleetOptions): Fleet {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const running = new Map<string, Running>()
  const reserved = new Set<number>()
  const exitListeners: ((exit: WorkerExit) => void)[] = []
  const outputListeners: ((output: WorkerOutput) => void)[] = []
  const file = (workerId: string, kind: FileKind) => join(folder, `${workerId}.${kind}`)
  const readUsage = createProcessUsageReader(clock)
  let stopPolling: (() => void) | undefined
  let outputDue = false

  function tell({ workerId, output }: Running, lines: readonly string[]): void {
    if (lines.length === 0) return
    const position = output.position()
    const stored = () => output.remember(position)
    for (const listener of outputListeners) listener({ workerId, lines, at: clock.now(), stored })
  }

  function readOutput(): void {
    outputDue = false
    for (const worker of running.values()) tell(worker, worker.output.readLines())
    if ([...running.values()].some(({ output }) => output.moreWaits())) outputGrew()
  }

  function outputGrew(): void {
    if (outputDue) return
    outputDue = true
    clock.after(OUTPUT_MS, readOutput)
  }

  const openOutput = (workerId: string) =>
    openOutputFile(file(workerId, 'log'), file(workerId, 'read'), createLineBudget(clock.steady))

  const watcher: FSWatcher = watch(folder, (_event, name) => {
    if (name === null || name.endsWith('.log')) outputGrew()
  })
  watcher.on('error', (error) => log.warn('worker output is not watched', { error }))

  // Adopted workers are no children of ours, so their end is seen by looking.
  function poll(): void {
    stopPolling = clock.after(POLL_MS, () => {
      for (const worker of [...running.values()]) {
        if (worker.child === undefined && !isAlive(worker.pid)) ended(worker, undefined, undefined)
      }
      if (running.size > 0) poll()
      else stopPolling = undefined
    })
  }

  function track({ workerId, pid, ports }: Identity, child: ChildProcess | undefined): Running {
    let end: () => void = () => undefined
    const whenEnded = new Promise<void>((resolve) => {
      end = resolve
    })
    const output = openOutput(workerId)
    const worker: Running = { workerId, pid, ports, output, child, ended: whenEnded, end, cancelKill: undefined }
    running.set(workerId, worker)
    if (stopPolling === undefined) poll()
    return worker
  }

  function ended(worker: Running, code: number | undefined, signal: string | undefined): void {
    if (!running.delete(worker.workerId)) return
    signalGroup(worker.pid, 'SIGKILL') // its children, and the ping process of the public SDK
    worker.cancelKill?.()
    tell(worker, worker.output.readRest())
    worker.output.close()
    removeFiles(worker.workerId)
    for (const listener of exitListeners) listener({ workerId: worker.workerId, code, signal, reason: undefined })
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
    const own = { ...spec, env: { ...spec.env, SVC_STATE_FOLDER: file(spec.workerId, 'state') } }
    const { program, args, cwd, env } = commandLine(own, environment, runtimes)
    if (!existsSync(cwd)) throw new Error(`the working folder ${cwd} does not exist`)
    const outputFile = openSync(file(spec.workerId, 'log'), 'a', 0o600)
    const child = spawn('/bin/sh', ['-c', WRITE_PID_THEN_RUN, file(spec.workerId, 'pid'), program, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', outputFile, outputFile],
    })
    closeSync(outputFile)
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        removeFiles(spec.workerId)
        reject(new Error(`the worker process could not be started: ${error.message}`))
      })
      child.once('spawn', () => {
        const pid = child.pid ?? 0
        const worker = track({ workerId: spec.workerId, pid, ports }, child)
        child.once('exit', (code, signal) => ended(worker, code ?? undefined, signal ?? undefined))
        resolve(toFleetWorker(worker))
      })
    })
  }

  function signalWorker(workerId: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const worker = running.get(workerId)
    if (worker !== undefined) signalGroup(worker.pid, signal)
  }

  async function stop(workerId: string, graceMs: number): Promise<void> {
    const worker = running.get(workerId)
    if (worker === undefined) return
    const kill = () => signalGroup(worker.pid, 'SIGKILL')
    worker.cancelKill?.()
    if (graceMs > 0) signalGroup(worker.pid, 'SIGTERM')
    signalGroup(worker.pid, 'SIGCONT') // a frozen one hears nothing else
    if (graceMs > 0) worker.cancelKill = clock.after(graceMs, kill)
    else kill()
    await worker.ended
  }

  return {
    ensure: async () => reach(),
    prepare: async () => undefined, // a process that does not run yet is nothing
    start: startWorker,
    stop,
    pause: async (workerId) => signalWorker(workerId, 'SIGSTOP'),
    resume: async (workerId) => signalWorker(workerId, 'SIGCONT'),
    list: () => [...running.values()].map(toFleetWorker),
    async adopt({ workerId, handle }) {
      const pid = recordedPid(file(workerId, 'pid'))
      if (pid === undefined || !isWorkerProcess(pid, workerId)) return false
      signalGroup(pid, 'SIGCONT') // it may be frozen
      const { port, healthPort } = JSON.parse(handle) as Partial<Ports>
      const ports = port === undefined || healthPort === undefined ? undefined : { port, healthPort }
      track({ workerId, pid, ports }, undefined)
      return true
    },
    async sweep() {
      for (const name of readdirSync(folder)) {
        const workerId = name.replace(/\.(pid|log|read|state)$/, '')
        if (running.has(workerId)) continue
        const pid = recordedPid(file(workerId, 'pid'))
        if (pid !== undefined && isWorkerProcess(pid, workerId)) {
          log.warn('ended a worker of an earlier run', { workerId, pid })
          signalGroup(pid, 'SIGKILL')
        }
        removeFiles(workerId)
      }
    },
    drainOutput(workerId) {
      const worker = running.get(workerId)
      if (worker !== undefined) tell(worker, worker.output.readLines())
    },
    capacity() {
      const free = Math.max(0, maxWorkers() - running.size)
      return { free, reason: free > 0 ? undefined : `${running.size} of ${maxWorkers()} worker processes are in use` }
    },
    refusal: async () => undefined, // whatever a process asks for is not looked at
    isAway: () => false,
    usage: (workerIds) => readUsage(workerIds.flatMap((id) => running.get(id) ?? [])),
    async openShell() {
      throw new Error('it runs as a process of this machine, where any terminal will do')
    },
    onExit: (listener) => exitListeners.push(listener),
    onOutput: (listener) => outputListeners.push(listener),
    onCapacity: () => undefined, // only its own starts and ends change it
    async close() {
      await Promise.all([...running.keys()].map((workerId) => stop(workerId, 0)))
      stopPolling?.()
      watcher.close()
    },
  }
}

function toFleetWorker({ workerId, pid, ports }: Identity): FleetWorker {
  const worker = { workerId, pid, handle: JSON.stringify({ pid, ...ports }) }
  return ports === undefined ? worker : { ...worker, address: { host: '127.0.0.1', ...ports } }
}

function recordedPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim())
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined // it never got as far as writing it
  }
}
