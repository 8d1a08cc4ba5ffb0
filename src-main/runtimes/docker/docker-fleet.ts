/** Labels identify service, endpoint and worker, so that a later run adopts known containers and removes others. */
import { randomBytes } from 'node:crypto'
import type Docker from 'dockerode'
import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import type {
  Fleet,
  FleetWorker,
  ServiceReach,
  Watch,
  WorkerExit,
  WorkerOutput,
  WorkerPlan,
  WorkerSpec,
} from '../port.ts'
import type { GpuInventory } from '../rules/gpu-list.ts'
import { createContainerHost } from './container-host.ts'
import { openReadMarks } from './container-logs.ts'
import { type ContainerMakerOptions, devicesFor, makeContainer } from './container-maker.ts'
import { openContainerShell } from './container-shell.ts'
import { type ContainerWorker, createContainerWorker, removeContainer } from './container-worker.ts'
import { type ContainerEvent, createEngine, type Engine } from './engine.ts'
import type { EngineHost } from './engine-host.ts'
import { engineMessage } from './engine-messages.ts'
import { createGpuAllocator } from './gpu-allocator.ts'
import { createImageStore, type ImageStoreOptions } from './images.ts'
import { type ContainerPorts, isContainerOf, LABELS, readPortsLabel } from './labels.ts'
import { BUNDLE_FILE } from './mounts.ts'
import { createWorkerNetworks } from './networks.ts'
import { createPodContainers } from './pod-containers.ts'
import { readUsage } from './read-usage.ts'

export type DockerFleetOptions = Pick<ImageStoreOptions, 'resources' | 'version' | 'registryAuth' | 'surroundings'> & {
  readonly clock: Clock
  readonly log: Log
  readonly folder: string
  readonly place: EngineHost
  readonly engine?: Engine | undefined
  readonly maxWorkers: () => number
  readonly state: {
    /** Prefix of containers and networks of this data folder; a-z and 0-9. */
    readonly serviceId: () => string
    /** Whether containers were ever used; only then is an engine sought at the start. */
    readonly used: () => boolean
    readonly setUsed: () => Promise<void>
  }
}

// Pause before retrying a failed removal, ms; source: ours.
const SWEEP_AGAIN_MS = 2000

export function createDockerFleet(options: DockerFleetOptions): Fleet {
  const { clock, log, place, maxWorkers, state } = options
  const serviceId = state.serviceId()
  const running = new Map<string, ContainerWorker>()
  const prepared = new Map<string, Promise<Docker.Container>>()
  const exits = createEmitter<[WorkerExit]>()
  const outputs = createEmitter<[WorkerOutput]>()
  const capacityChanges = createEmitter()
  const engine = options.engine ?? createEngine({ clock, log, place, label: `${LABELS.service}=${serviceId}` })
  const images = createImageStore(options)
  const networks = createWorkerNetworks({
    serviceId,
    labels: { [LABELS.service]: serviceId },
    open: place.openForWorkers,
  })
  const marks = openReadMarks(options.folder)
  const gpus = createGpuAllocator({
    readInventory,
    clock,
    log,
    onChange: capacityChanges.emit,
  })
  const withoutDiskLimit = new Set<string>()
  const making: ContainerMakerOptions = {
    serviceId,
    runId: randomBytes(6).toString('hex'),
    engine,
    images,
    networks,
    gpus,
    place,
    onNoDiskLimit(endpointId, why) {
      if (!withoutDiskLimit.has(endpointId))
        log.warn('the engine cannot limit the disk of containers', { endpointId, why })
      withoutDiskLimit.add(endpointId)
    },
    noteUse: state.setUsed,
  }
  // Containers being started, with an event that came before the response.
  const starting = new Map<string, ContainerEvent | undefined>()
  const startingIds = new Set<string>()
  let noEngine: string | undefined
  let sweepDue = false
  const made = new Map<string, string>()
  let hasSparedUnsettled = false
  let cancelSweep: (() => void) | undefined
  let isClosed = false
  let removal: Promise<void> = Promise.resolve()

  engine.onEvent((event) => {
    const worker = find(event)
    if (worker !== undefined) worker.onEvent(event)
    else if (starting.has(event.containerId)) starting.set(event.containerId, event)
  })
  engine.onChange((change) => {
    if (change === 'lost') {
      networks.forget()
      sweepDue = true
    } else {
      noEngine = undefined
      reconnected()
    }
    capacityChanges.emit()
  })

  // Also looks for the engine: without a free GPU no worker starts, and only a start would look for it.
  async function readInventory(): Promise<GpuInventory> {
    const looking = engine.findEngine().catch((error: Error) => {
      noEngine = error.message
    })
    const [inventory] = await Promise.all([place.gpuReader.inventory(), looking])
    return inventory
  }

  // A lost engine may return; one that was never there has to be started.
  const whileAway = (reason: string) => ({ free: 0, reason, never: !engine.wasConnected(), isAway: true })

  const find = ({ containerId }: ContainerEvent) =>
    [...running.values()].find(({ container }) => container.id === containerId)

  function reconnected(): void {
    for (const worker of running.values()) {
      worker.checkAgain().catch((error) => log.warn('container not inspected', { error }))
    }
    if (sweepDue) sweepNow()
  }

  function sweepNow(): void {
    removeUnknown().catch((error) => {
      log.warn('containers without an owner not removed', { error })
      sweepLater()
    })
  }

  // A just killed engine may still hold container files.
  function sweepLater(): void {
    sweepDue = true
    if (isClosed) return
    cancelSweep ??= clock.after(SWEEP_AGAIN_MS, () => {
      cancelSweep = undefined
      if (engine.problem() === undefined) sweepNow()
    })
  }

  function track(workerId: string, container: Docker.Container, facts: FleetWorker): ContainerWorker {
    const worker = createContainerWorker({
      clock,
      log,
      container,
      facts,
      marks,
      onOutput: outputs.emit,
      onEnd(exit) {
        running.delete(workerId)
        gpus.release(workerId)
        place.release(container.id)
        exits.emit(exit)
      },
      onLeft: sweepLater,
    })
    running.set(workerId, worker)
    const event = starting.get(container.id)
    starting.delete(container.id)
    if (event !== undefined) worker.onEvent(event)
    return worker
  }

  async function make(spec: WorkerSpec): Promise<Docker.Container> {
    try {
      const container = await makeContainer(making, spec)
      made.set(spec.workerId, container.id)
      return container
    } finally {
      // A container whose creation the engine interrupted may exist anyway.
      if (hasSparedUnsettled) sweepLater()
    }
  }

  function start(spec: WorkerSpec): Promise<FleetWorker> {
    startingIds.add(spec.workerId)
    return engine.checkedAfter(startNow(spec)).finally(() => {
      startingIds.delete(spec.workerId)
      made.delete(spec.workerId)
    })
  }

  async function startNow(spec: WorkerSpec): Promise<FleetWorker> {
    const ready = prepared.get(spec.workerId)
    prepared.delete(spec.workerId)
    const container = await (ready?.catch(() => make(spec)) ?? make(spec))
    starting.set(container.id, undefined)
    try {
      await container.start()
      const own = gpus.holds().filter((hold) => hold.workerId === spec.workerId)
      const facts = await factsOf(
        spec.workerId,
        container,
        own.map(({ gpuId }) => gpuId),
        spec.loadBalanced,
      )
      return track(spec.workerId, container, facts).facts
    } catch (error) {
      starting.delete(container.id)
      gpus.release(spec.workerId)
      await removeContainer(container, sweepLater)
      throw new Error(`the container could not be started: ${engineMessage(error)}`)
    }
  }

  async function factsOf(
    workerId: string,
    container: Docker.Container,
    gpuIds: readonly string[],
    ports: ContainerPorts | undefined,
  ): Promise<FleetWorker> {
    const { id } = container
    const cards = gpuIds.length === 0 ? {} : { gpus: gpuIds }
    const facts = { workerId, handle: JSON.stringify({ container: id }), pid: undefined, container: id, ...cards }
    if (ports === undefined) return facts
    const connected = await engine.connect()
    return { ...facts, address: await place.addressOf(await container.inspect(), ports, connected) }
  }

  async function stop(workerId: string, graceMs: number): Promise<void> {
    const unused = prepared.get(workerId)
    prepared.delete(workerId)
    if (unused !== undefined) {
      await removeContainer(await unused, sweepLater)
      made.delete(workerId)
    }
    await running.get(workerId)?.stop(graceMs)
  }

  async function adopt({ workerId, handle }: { workerId: string; handle: string }): Promise<boolean> {
    const id: unknown = JSON.parse(handle).container
    if (typeof id !== 'string') return false
    try {
      const connected = await engine.connect()
      const container = connected.docker.getContainer(id)
      const { State, Config, NetworkSettings } = await container.inspect()
      if (!State.Running || !isContainerOf(Config.Labels, { serviceId, workerId })) return false
      await networks.reopen(connected, Object.keys(NetworkSettings.Networks))
      if (State.Paused) await container.unpause()
      const { Labels } = Config
      const gpuIds = (Labels[LABELS.gpus] ?? '').split(',').filter((id) => id !== '')
      gpus.adopt(workerId, Labels[LABELS.endpoint] ?? '', gpuIds, Labels[LABELS.gpusShared] === 'true')
      track(workerId, container, await factsOf(workerId, container, gpuIds, readPortsLabel(Labels[LABELS.ports])))
      return true
    } catch {
      return false
    }
  }

  // Belongs to a prepared or starting worker of this run. Until its creation settles, any container with its name may
  // be the one.
  function isWanted({ Id, Labels }: Docker.ContainerInfo): boolean {
    const workerId = Labels[LABELS.worker] ?? ''
    if (Labels[LABELS.run] !== making.runId || !(prepared.has(workerId) || startingIds.has(workerId))) return false
    return (made.get(workerId) ?? Id) === Id
  }

  // Sequential, because a second removal would fail while the first continues.
  function removeUnknown(): Promise<void> {
    removal = removal.catch(() => undefined).then(removeUnknownNow)
    return removal
  }

  async function removeUnknownNow(): Promise<void> {
    const { docker } = await engine.connect()
    const filters = { label: [`${LABELS.service}=${serviceId}`, LABELS.worker] }
    const mine = new Set([...running.values()].map(({ container }) => container.id))
    const found = await docker.listContainers({ all: true, filters })
    sweepDue = false
    const others = found.filter(({ Id }) => !mine.has(Id))
    hasSparedUnsettled = others.some((found) => isWanted(found) && !made.has(found.Labels[LABELS.worker] ?? ''))
    await Promise.all(
      others
        .filter((found) => !isWanted(found))
        .map(async ({ Id, Labels }) => {
          log.warn('removes a container without an owner', { workerId: Labels[LABELS.worker] })
          await removeContainer(docker.getContainer(Id), sweepLater)
        }),
    )
    marks.keepOnly(new Set(running.keys()))
  }

  async function refusal({ container }: Partial<Pick<WorkerPlan, 'container'>>): Promise<string | undefined> {
    try {
      const connected = await engine.findEngine()
      if (container?.gpu === undefined) return undefined
      const offer = await gpus.offer(container)
      if ('reason' in offer) return offer.reason
      devicesFor(making, connected, offer.ids)
      return undefined
    } catch (error) {
      return (error as Error).message.replace(/\.$/, '')
    }
  }

  async function ensure(plan: WorkerPlan, watch: Watch): Promise<ServiceReach> {
    const connected = await engine.connect()
    if (plan.container?.gpu !== undefined) await gpus.refresh()
    await images.ensure(connected, plan, watch)
    await place.send(plan, connected, watch)
    const { reach, endpointHosts } = await networks.get(connected, plan.container?.egress ?? true)
    if (plan.callsHosts === undefined) return reach
    return { ...reach, endpointHosts: { url: endpointHosts.url, bundle: BUNDLE_FILE } }
  }

  return {
    ensure: (plan, watch) => engine.checkedAfter(ensure(plan, watch)),
    async prepare(spec) {
      const container = make(spec)
      container.catch(() => prepared.delete(spec.workerId))
      prepared.set(spec.workerId, container)
      await container
    },
    start,
    stop,
    pause: async (workerId) => running.get(workerId)?.pause(),
    resume: async (workerId) => running.get(workerId)?.resume(),
    list: () => [...running.values()].map(({ facts }) => facts),
    adopt,
    async sweep() {
      if (!state.used()) return
      sweepDue = true
      await removeUnknown().catch(() => undefined)
    },
    isAway: (workerId) => running.has(workerId) && engine.problem() !== undefined,
    checkAway: engine.check,
    drainOutput: () => undefined,
    capacity({ container }) {
      const problem = engine.problem()
      if (problem !== undefined) return whileAway(problem)
      const free = Math.max(0, maxWorkers() - running.size)
      if (free === 0) return { free, reason: `${running.size} of ${maxWorkers()} worker containers are in use` }
      if (container === undefined) return { free, reason: undefined }
      const cards = gpus.slots(container)
      if (cards.free === 0 && noEngine !== undefined) return whileAway(noEngine)
      return { free: Math.min(free, cards.free), reason: cards.reason, never: cards.never }
    },
    refusal,
    usage: (workerIds) =>
      readUsage({ workers: workerIds.flatMap((id) => running.get(id) ?? []), gpus, gpuReader: place.gpuReader, log }),
    async openShell(workerId, size, listener) {
      const worker = running.get(workerId)
      if (worker === undefined) throw new Error('it is not running yet')
      return openContainerShell(worker.container, size, listener)
    },
    containerHost: {
      ...createContainerHost({ engine, images, gpus }),
      pods: createPodContainers({ making: { ...making, images }, clock, log }),
    },
    onExit: exits.on,
    onOutput: outputs.on,
    onCapacity: capacityChanges.on,
    async close() {
      isClosed = true
      cancelSweep?.()
      try {
        await Promise.all([...running.keys(), ...prepared.keys()].map((workerId) => stop(workerId, 0)))
        if (state.used() && engine.problem() === undefined) {
          const { docker } = await engine.findEngine()
          await networks.remove(docker)
        }
      } finally {
        gpus.close()
        engine.close()
      }
    },
  }
}
