import type { Clock } from '../../src-main/lib/clock.ts'
import type {
  ContainerHost,
  Fleet,
  FleetWorker,
  PodContainers,
  ServiceReach,
  ShellListener,
  WorkerAddress,
  WorkerExit,
  WorkerOutput,
  WorkerSpec,
} from '../../src-main/runtimes/port.ts'

/**
 * One step of a worker's life. A worker runs its steps when it starts; without an ending step it lives until it is
 * stopped. Commands of real workers are made from the same steps, see test/conformance.
 */
export type WorkerStep =
  | { readonly print: string }
  | { readonly printEnv: string }
  | { readonly printUnended: string }
  | { readonly exit: number }
  | { readonly die: 'SIGKILL' | 'SIGSEGV' }
  | { readonly ignore: 'SIGTERM' }
  | { readonly onTerm: { readonly print: string; readonly exit: number } }
  /** Printed when the test pokes the worker from outside its driver. */
  | { readonly onPoke: string }

/** Where workers live. Two drivers on one place see the same workers, as two runs of a service on one folder do. */
export type FakePlace = {
  readonly workers: Map<string, FakeWorkerLife>
  /** Workers that are made and do not run yet. */
  readonly prepared: Map<string, WorkerSpec>
}

/** A worker of the fake fleet. */
export type FakeWorkerLife = {
  readonly spec: WorkerSpec
  readonly pid: number
  readonly ignoresTerm: boolean
  readonly onTerm: { readonly print: string; readonly exit: number } | undefined
  readonly onPoke: string | undefined
  readonly lines: string[]
  unended: string
  frozen: boolean
  /** Drivers that are told of its end: the one that started it, and those that adopted it. */
  readonly drivers: Set<(exit: WorkerExit) => void>
}

/** A shell of the fake fleet: the test writes for it. */
export type FakeShell = {
  readonly listener: ShellListener
  readonly typed: string[]
  readonly sizes: { readonly columns: number; readonly rows: number }[]
  held: boolean
  closed: boolean
}

/** The fake, with what a test does to its workers. */
export type FakeFleet = Fleet & {
  readonly place: FakePlace
  /** Specs of all workers that were ever started, oldest first. */
  readonly started: readonly WorkerSpec[]
  /** Lets a worker write a line. */
  readonly print: (workerId: string, line: string) => void
  /** Lets a worker end by itself. */
  readonly end: (workerId: string, exit: { readonly code?: number; readonly signal?: string }) => void
  /** The driver goes away as in a crash of the service: its workers live on. */
  readonly abandon: () => void
  /** How often somebody asked what workers use; the n-th time it is n times 1000 bytes of memory. */
  usageReadings: number
  /** Shells that were opened, oldest first. */
  readonly shells: readonly FakeShell[]
  /** Every later shell is refused with this reason. */
  refuseShells: string | undefined
  /** Every later start fails with this reason. */
  failStarts: string | undefined
  /** Every later start waits for this, as for an image. */
  startsAfter: Promise<void> | undefined
  /** Graphics cards of the machine; a worker that wants one has it for itself. */
  cards: number
  /** Why no engine of this machine answers; as of a real one, nobody knows that before a start was tried. */
  noEngine: string | undefined
  hasTriedEngine: boolean
  /** Containers of pods; no pods without them. */
  pods: PodContainers | undefined
  /** Loses its engine, and gets it back: meanwhile its workers are away. */
  readonly setAway: (isAway: boolean) => void
  /** The answer of `refusal` for a plan; undefined, unless a test sets it. */
  lacks: (plan: Parameters<Fleet['refusal']>[0]) => string | undefined
}

/** Makes an empty place. */
export function fakePlace(): FakePlace {
  return { workers: new Map(), prepared: new Map() }
}

let lastPid = 100_000

/** Makes a driver whose workers are only remembered. It passes test/conformance/fleet. */
export function createFakeFleet({
  clock,
  maxWorkers,
  place = fakePlace(),
  reach = { workerUrl: 'http://127.0.0.1:1', serviceUrl: 'http://127.0.0.1:2' },
}: {
  readonly clock: Clock
  readonly maxWorkers: () => number
  readonly place?: FakePlace
  readonly reach?: ServiceReach
}): FakeFleet {
  const ready = new Set<string>()
  const mine = new Map<string, FakeWorkerLife>()
  const started: WorkerSpec[] = []
  const shells: FakeShell[] = []
  const exitListeners: ((exit: WorkerExit) => void)[] = []
  const outputListeners: ((output: WorkerOutput) => void)[] = []
  const capacityListeners: (() => void)[] = []
  let isAway = false
  const kills = new Map<string, () => void>()
  const waiting = new Map<string, (() => void)[]>()

  function drain(workerId: string, last: boolean): void {
    const worker = mine.get(workerId)
    if (worker === undefined || (worker.frozen && !last)) return
    const lines = worker.lines.splice(0)
    if (last && worker.unended !== '') lines.push(worker.unended)
    if (lines.length > 0) for (const listener of outputListeners) listener({ workerId, lines, at: clock.now() })
  }

  function gone(exit: WorkerExit): void {
    drain(exit.workerId, true)
    mine.delete(exit.workerId)
    kills.get(exit.workerId)?.()
    kills.delete(exit.workerId)
    for (const listener of exitListeners) listener(exit)
    for (const resolve of waiting.get(exit.workerId) ?? []) resolve()
    waiting.delete(exit.workerId)
  }

  function end(workerId: string, { code, signal }: { readonly code?: number; readonly signal?: string }): void {
    const worker = place.workers.get(workerId)
    if (!place.workers.delete(workerId)) return
    for (const tell of [...(worker?.drivers ?? [])]) tell({ workerId, code, signal, reason: undefined })
  }

  function drive(workerId: string, worker: FakeWorkerLife): void {
    worker.drivers.add(gone)
    mine.set(workerId, worker)
  }

  function freeze(workerId: string, frozen: boolean): void {
    const worker = mine.get(workerId)
    if (worker === undefined) return
    worker.frozen = frozen
    drain(workerId, false)
  }

  function terminate(workerId: string, worker: FakeWorkerLife): void {
    if (worker.ignoresTerm) return
    if (worker.onTerm !== undefined) worker.lines.push(worker.onTerm.print)
    end(workerId, worker.onTerm === undefined ? { signal: 'SIGTERM' } : { code: worker.onTerm.exit })
  }

  function begin(spec: WorkerSpec): FleetWorker {
    const steps = stepsOf(spec)
    lastPid += 1
    const find = <Key extends string>(key: Key) => steps.find((step) => key in step) as Record<Key, never> | undefined
    const worker: FakeWorkerLife = {
      spec,
      pid: lastPid,
      ignoresTerm: find('ignore') !== undefined,
      onTerm: find('onTerm')?.onTerm,
      onPoke: find('onPoke')?.onPoke,
      lines: steps.flatMap((step) =>
        'print' in step
          ? [step.print]
          : 'printEnv' in step
            ? [`${step.printEnv}=${environmentOf(spec)[step.printEnv] ?? ''}`]
            : [],
      ),
      unended: find('printUnended')?.printUnended ?? '',
      frozen: false,
      drivers: new Set(),
    }
    started.push(spec)
    ready.delete(spec.workerId)
    place.prepared.delete(spec.workerId)
    place.workers.set(spec.workerId, worker)
    drive(spec.workerId, worker)
    clock.after(0, () => drain(spec.workerId, false))
    const last = steps.at(-1)
    if (last !== undefined && 'exit' in last) clock.after(0, () => end(spec.workerId, { code: last.exit }))
    if (last !== undefined && 'die' in last) clock.after(0, () => end(spec.workerId, { signal: last.die }))
    return toFleetWorker(worker)
  }

  function stop(workerId: string, graceMs: number): Promise<void> {
    ready.delete(workerId)
    place.prepared.delete(workerId)
    const worker = mine.get(workerId)
    if (worker === undefined) return Promise.resolve()
    worker.frozen = false
    return new Promise((resolve) => {
      waiting.set(workerId, [...(waiting.get(workerId) ?? []), resolve])
      const kill = () => end(workerId, { signal: 'SIGKILL' })
      kills.get(workerId)?.()
      if (graceMs > 0) {
        kills.set(workerId, clock.after(graceMs, kill))
        terminate(workerId, worker)
      } else kill()
    })
  }

  const freeCards = () => fleet.cards - [...mine.values()].filter(({ spec }) => wantsCard(spec)).length

  const fleet: FakeFleet = {
    place,
    started,
    shells,
    refuseShells: undefined,
    usageReadings: 0,
    failStarts: undefined,
    startsAfter: undefined,
    noEngine: undefined,
    hasTriedEngine: false,
    get containerHost() {
      if (fleet.noEngine === undefined && fleet.pods === undefined) return undefined
      return { ...hostWithoutEngine(fleet.noEngine ?? 'only pods are here'), pods: fleet.pods }
    },
    pods: undefined,
    cards: Number.POSITIVE_INFINITY,
    lacks: () => undefined,
    print(workerId, line) {
      place.workers.get(workerId)?.lines.push(line)
      drain(workerId, false)
    },
    end,
    abandon() {
      for (const worker of mine.values()) worker.drivers.delete(gone)
      mine.clear()
    },
    async ensure({ container }) {
      await fleet.startsAfter
      if (container === undefined || fleet.noEngine === undefined) return reach
      fleet.hasTriedEngine = true
      throw new Error(fleet.noEngine)
    },
    async prepare(spec) {
      place.prepared.set(spec.workerId, spec)
      ready.add(spec.workerId)
    },
    pause: async (workerId) => freeze(workerId, true),
    resume: async (workerId) => freeze(workerId, false),
    isAway: (workerId) => isAway && mine.has(workerId),
    checkAway: async () => undefined,
    setAway(value) {
      isAway = value
      for (const listener of capacityListeners) listener()
    },
    async usage(workerIds) {
      fleet.usageReadings += 1
      const own = workerIds.filter((workerId) => mine.has(workerId))
      return new Map(own.map((workerId) => [workerId, { memoryBytes: 1000 * fleet.usageReadings }]))
    },
    onCapacity: (listener) => capacityListeners.push(listener),
    async start(spec) {
      if (fleet.failStarts !== undefined) throw new Error(fleet.failStarts)
      if (wantsCard(spec) && freeCards() <= 0) throw new Error('0 cards are free')
      return begin(spec)
    },
    stop,
    list: () => [...mine.values()].map(toFleetWorker),
    async adopt({ workerId, handle }) {
      const worker = place.workers.get(workerId)
      if (worker === undefined || JSON.stringify({ pid: worker.pid }) !== handle) return false
      drive(workerId, worker)
      worker.frozen = false
      return true
    },
    async sweep() {
      for (const workerId of [...place.prepared.keys()]) if (!ready.has(workerId)) place.prepared.delete(workerId)
      for (const workerId of [...place.workers.keys()]) if (!mine.has(workerId)) end(workerId, { signal: 'SIGKILL' })
    },
    drainOutput: (workerId) => drain(workerId, false),
    capacity(plan) {
      if (plan.container !== undefined && fleet.noEngine !== undefined && fleet.hasTriedEngine)
        return { free: 0, reason: fleet.noEngine, never: true, isAway: true }
      const free = Math.max(0, maxWorkers() - mine.size)
      if (free === 0) return { free, reason: `${mine.size} of ${maxWorkers()} worker processes are in use` }
      if (!wantsCard(plan) || freeCards() > 0) return { free: wantsCard(plan) ? freeCards() : free, reason: undefined }
      return { free: 0, reason: '0 cards are free' }
    },
    refusal: async (plan) => (plan.container && fleet.noEngine) ?? fleet.lacks(plan),
    async openShell(workerId, size, listener) {
      if (!mine.has(workerId)) throw new Error('it does not run')
      if (fleet.refuseShells !== undefined) throw new Error(fleet.refuseShells)
      const shell: FakeShell = { listener, typed: [], sizes: [size], held: false, closed: false }
      shells.push(shell)
      return {
        program: 'sh',
        write: async (text) => void shell.typed.push(text),
        resize: async (next) => void shell.sizes.push(next),
        hold(holds) {
          shell.held = holds
        },
        async close() {
          shell.closed = true
        },
      }
    },
    onExit: (listener) => exitListeners.push(listener),
    onOutput: (listener) => outputListeners.push(listener),
    async close() {
      await Promise.all([...mine.keys()].map((workerId) => stop(workerId, 0)))
    },
  }
  return fleet
}

export function hostWithoutEngine(reason: string): ContainerHost {
  const reject = () => Promise.reject(new Error(reason))
  return {
    engine: async () => ({ state: 'absent', reason }),
    gpus: async () => ({ inventory: { cards: [] }, holds: [] }),
    images: reject,
    removeOldImages: reject,
    workerImage: () => 'worker',
    image: reject,
    pulls: () => [],
    push: reject,
    makeWorkerImage: reject,
  }
}

function wantsCard({ container }: Pick<WorkerSpec, 'container'> | Parameters<Fleet['capacity']>[0]): boolean {
  return container?.gpu !== undefined
}

// A load-balanced worker listens where its endpoint says, as in a container with an address of its own.
function addressOf({ loadBalanced }: WorkerSpec): WorkerAddress | undefined {
  if (loadBalanced === undefined) return undefined
  const { port, healthPort = port } = loadBalanced
  return { host: '127.0.0.1', port, healthPort }
}

function environmentOf(spec: WorkerSpec): Readonly<Record<string, string>> {
  const address = addressOf(spec)
  if (address === undefined) return spec.env
  return { ...spec.env, PORT: String(address.port), PORT_HEALTH: String(address.healthPort) }
}

function toFleetWorker({ spec, pid }: FakeWorkerLife): FleetWorker {
  const address = addressOf(spec)
  const worker = { workerId: spec.workerId, pid, handle: JSON.stringify({ pid }) }
  return address === undefined ? worker : { ...worker, address }
}

// A command that is no list of steps is a worker that a test leads over the worker protocol.
function stepsOf({ command }: WorkerSpec): readonly WorkerStep[] {
  return command?.startsWith('[') ? (JSON.parse(command) as WorkerStep[]) : []
}
