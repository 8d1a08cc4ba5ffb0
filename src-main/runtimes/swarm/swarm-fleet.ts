/**
 * Fleet driver for swarms: each worker is a service with one replica that is never restarted. The swarm chooses the
 * node; then its container is followed directly.
 */
import { randomBytes } from 'node:crypto'
import { createEmitter } from '../../lib/emitter.ts'
import { pause } from '../../lib/wait.ts'
import { createContainerHost } from '../docker/container-host.ts'
import { openReadMarks } from '../docker/container-logs.ts'
import { openContainerShell } from '../docker/container-shell.ts'
import { type ContainerWorker, createContainerWorker } from '../docker/container-worker.ts'
import type { DockerFleetOptions } from '../docker/docker-fleet.ts'
import type { ContainerEvent, Engine } from '../docker/engine.ts'
import { engineMessage } from '../docker/engine-messages.ts'
import { findFreshVolumes, isOwnVolume, openToAll } from '../docker/fresh-volumes.ts'
import { createGpuAllocator } from '../docker/gpu-allocator.ts'
import { createImageStore } from '../docker/images.ts'
import { type ContainerPorts, isContainerOf, LABELS, readPortsLabel } from '../docker/labels.ts'
import type { Mount } from '../docker/mounts.ts'
import { readUsage } from '../docker/read-usage.ts'
import type {
  Fleet,
  FleetWorker,
  ServiceReach,
  Watch,
  WorkerAddress,
  WorkerExit,
  WorkerOutput,
  WorkerPlan,
  WorkerSpec,
} from '../port.ts'
import { UNWATCHED } from '../remote/machine-options.ts'
import { hasEnded, NodeAway, NoSuitableNode, type Placed, removeService, startService } from './create-swarm-service.ts'
import type { HubClient } from './hub-client.ts'
import { createWorkerFolders, type NodeFiles, type WorkerFoldersOptions } from './node-files.ts'
import { createNodeImages, pinnedImage } from './node-images.ts'
import type { Swarm } from './swarm.ts'
import { type SwarmNode, whyAway, withReasonOfNode } from './swarm-nodes.ts'
import { allowedNodes, cardWish, createRefusedWishes, noRoom } from './swarm-room.ts'
import { makeWorkerService, refuseUnsupported, serviceName } from './worker-plan.ts'

export type SwarmFleetOptions = Omit<DockerFleetOptions, 'place' | 'engine'> &
  Omit<WorkerFoldersOptions, 'files'> & {
    readonly machine: string
    readonly engine: Engine
    readonly swarm: Swarm
    readonly hub: Pick<HubClient, 'copy'>
    readonly files: NodeFiles
    readonly reach: ServiceReach
    readonly addressOf: (
      worker: { readonly id: string; readonly host: string },
      ports: ContainerPorts,
    ) => Promise<WorkerAddress>
    readonly release: (workerId: string) => void
  }

type Handle = { readonly container: string; readonly node: string; readonly service: string }
type Tracked = { readonly worker: ContainerWorker; readonly node: SwarmNode; readonly service: string }

// Placements tried if nodes go away during the start.
const PLACES_TRIED = 3
const DRAIN_LOOK_MS = 300
// Text of the engine's error for a missing folder; source: moby, volume/mounts.
const NO_SOURCE = /bind source path does not exist/
// Nodes are reached through the manager, so they take longer, ms; source: ours, one answer of the hub and one retry.
const NODES_BACK_MS = 15_000

export function createSwarmFleet(options: SwarmFleetOptions): Fleet {
  const { clock, log, engine, swarm, state, machine, maxWorkers } = options
  const { nodes } = swarm
  const serviceId = state.serviceId()
  const runId = randomBytes(6).toString('hex')
  const running = new Map<string, Tracked>()
  const starting = new Map<string, AbortController>()
  const exits = createEmitter<[WorkerExit]>()
  const outputs = createEmitter<[WorkerOutput]>()
  const capacityChanges = createEmitter()
  const images = createImageStore(options)
  const nodeImages = createNodeImages(options, { nodes, hub: options.hub })
  const marks = openReadMarks(options.folder)
  // A swarm reports only how many GPUs a node provides.
  const noCards = createGpuAllocator({
    readInventory: async () => ({ cards: [] }),
    clock,
    log,
    onChange: () => undefined,
  })
  const { files } = options
  const refused = createRefusedWishes(clock, capacityChanges.emit)
  const drained = new Set<string>()
  let sweepDue = false
  let cancelNodesBack: (() => void) | undefined

  engine.onChange((change) => {
    if (change === 'lost') {
      swarm.forget()
      files.forget()
      sweepDue = true
    } else {
      cancelNodesBack?.()
      cancelNodesBack = clock.after(NODES_BACK_MS, () => {
        cancelNodesBack = undefined
        capacityChanges.emit()
      })
      if (sweepDue) sweepNow()
    }
    capacityChanges.emit()
  })
  nodes.onEvent((event) => find(event)?.worker.onEvent(event))
  nodes.onEngine((nodeId, change) => {
    if (change === 'lost') return
    for (const { worker, node } of running.values())
      if (node.id === nodeId)
        worker.checkAgain().catch((error) => log.warn('container not inspected', { machine, error }))
  })
  nodes.onChange(() => {
    refused.forget()
    for (const [workerId, { node }] of running) {
      const now = nodes.get(node.id)
      if (now === undefined || now.state === 'down') giveUp(workerId, now)
      else if (now.state === 'drained')
        followDrained(workerId, now).catch((error) => log.warn('task of a drained node not read', { machine, error }))
    }
    capacityChanges.emit()
  })

  const find = ({ containerId }: ContainerEvent) =>
    [...running.values()].find(({ worker }) => worker.container.id === containerId)

  function giveUp(workerId: string, node: SwarmNode | undefined): void {
    const tracked = running.get(workerId)
    if (tracked === undefined) return
    const reason = (node && whyAway(node)) ?? `node ${tracked.node.name} has left the swarm`
    forget(workerId, { workerId, code: undefined, signal: undefined, reason, blameless: true })
    removeOf(tracked.service)
  }

  /** A drained node loses its agent too: only the manager knows when its worker ended. */
  async function followDrained(workerId: string, { id, name }: SwarmNode): Promise<void> {
    if (drained.has(workerId)) return
    drained.add(workerId)
    try {
      for (;;) {
        const tracked = running.get(workerId)
        if (tracked === undefined || nodes.get(id)?.state !== 'drained') return
        const { docker } = await engine.connect()
        if (await hasEnded(docker, tracked.service)) {
          const reason = `its node ${name} was drained`
          forget(workerId, { workerId, code: undefined, signal: undefined, reason, blameless: true })
          removeOf(tracked.service)
          return
        }
        await pause(clock, DRAIN_LOOK_MS)
      }
    } finally {
      drained.delete(workerId)
    }
  }

  function removeOf(service: string): void {
    engine
      .connect()
      .then(({ docker }) => removeService(docker, service))
      .catch((error) => {
        log.warn('service of a worker not removed', { service, why: engineMessage(error) })
        sweepDue = true
      })
  }

  function forget(workerId: string, exit: WorkerExit): void {
    if (!running.delete(workerId)) return
    options.release(workerId)
    exits.emit(exit)
  }

  async function track(workerId: string, placed: Placed, service: string, ports: ContainerPorts | undefined) {
    const node = nodes.get(placed.nodeId)
    if (node === undefined) throw new Error('its node has left the swarm')
    const { docker } = await node.engine.connect()
    const container = docker.getContainer(placed.containerId)
    const facts = await factsOf(workerId, { container, node, service }, ports)
    const ofService = Object.assign(docker.getContainer(placed.containerId), {
      remove: async () => {
        const manager = await engine.connect()
        await removeService(manager.docker, service)
      },
    })
    const worker = createContainerWorker({
      ...{ clock, log, container: ofService, facts, marks },
      onOutput: outputs.emit,
      onEnd: (exit) => forget(workerId, withReasonOfNode(exit, nodes.get(node.id))),
      onLeft: () => {
        sweepDue = true
      },
    })
    running.set(workerId, { worker, node, service })
    const { State } = await container.inspect()
    if (!State.Running) worker.onEvent({ action: 'die', containerId: placed.containerId, attributes: {} })
    return facts
  }

  async function factsOf(
    workerId: string,
    { container, node, service }: { container: ContainerWorker['container']; node: SwarmNode; service: string },
    ports: ContainerPorts | undefined,
  ): Promise<FleetWorker> {
    const handle: Handle = { container: container.id, node: node.id, service }
    const facts = { workerId, handle: JSON.stringify(handle), pid: undefined, container: container.id }
    if (ports === undefined) return facts
    const { NetworkSettings } = await container.inspect()
    const names = Object.entries(NetworkSettings.Networks)
    const host = names.find(([name]) => name.startsWith('drydock-'))?.[1]?.IPAddress
    if (!host) throw new Error('the swarm gave the container no address')
    return { ...facts, address: await options.addressOf({ id: workerId, host }, ports) }
  }

  async function start(spec: WorkerSpec): Promise<FleetWorker> {
    const { workerId } = spec
    const cancel = new AbortController()
    starting.set(workerId, cancel)
    const service = serviceName(serviceId, spec)
    try {
      for (let tried = 1; ; tried++) {
        try {
          const placed = await place(spec, service, cancel.signal)
          return await track(workerId, placed, service, spec.loadBalanced)
        } catch (error) {
          await removeOfFailed(service)
          const lacksFiles = NO_SOURCE.test(engineMessage(error))
          if (lacksFiles) files.forget()
          if (!(error instanceof NodeAway || lacksFiles) || tried === PLACES_TRIED) throw error
        }
      }
    } catch (error) {
      if (error instanceof NoSuitableNode)
        refused.refuse(spec, { free: 0, reason: error.message, isAway: error.isTransient })
      throw new Error(`the worker could not be started: ${engineMessage(error)}`, { cause: error })
    } finally {
      starting.delete(workerId)
    }
  }

  async function removeOfFailed(service: string): Promise<void> {
    try {
      const { docker } = await engine.connect()
      await removeService(docker, service)
    } catch (error) {
      log.warn('service of a worker not removed', { service, why: engineMessage(error) })
      sweepDue = true
    }
  }

  async function place(spec: WorkerSpec, service: string, signal: AbortSignal): Promise<Placed> {
    const connected = await engine.connect()
    const networks = await swarm.ensure(connected)
    await state.setUsed()
    const sending = foldersFor(spec)
    const mounts = await sending.mounts.find(spec)
    const image = await pinnedImage(connected.docker, images.nameFor(spec))
    const lacking = sending.lacking()
    const allowed = nodes.all().filter(allowedNodes(spec.container, nodes.all()))
    const without = nodes.all().filter((node) => whyAway(node) !== undefined || lacking.has(node.id))
    const suitable = allowed.filter((node) => !without.includes(node))
    let withoutImage = await nodeImages.lacking(image.ref)
    if (suitable.length > 0 && suitable.every((node) => withoutImage.includes(node))) {
      // Their agents answered only after the image was copied to the others, or the image was removed there.
      await nodeImages.bringToAll(image.ref, spec.container, { ...UNWATCHED, signal })
      withoutImage = await nodeImages.lacking(image.ref)
    }
    const avoided = [...new Set([...without, ...withoutImage])]
    const taking = suitable.filter((node) => !withoutImage.includes(node))
    if (mounts.some(isOwnVolume)) await Promise.all(taking.map((node) => openVolumes(node, mounts, image.ref)))
    const around = { connected, serviceId, runId, service, networks, nodes: nodes.all(), image, mounts, avoided }
    const made = await makeWorkerService(spec, around)
    try {
      return await startService(connected.docker, made, { login: await images.login(spec), nodes, clock, signal })
    } catch (error) {
      if (!(error instanceof NoSuitableNode)) throw error
      const left = allowed.filter((node) => without.includes(node))
      const why = left.flatMap((node) => lacking.get(node.id) ?? whyAway(node) ?? [])
      const isTransient = left.some(({ id }) => lacking.get(id) === undefined)
      throw new NoSuitableNode([error.message, ...why].join('; '), { cause: error, isTransient })
    }
  }

  async function openVolumes(node: SwarmNode, mounts: readonly Mount[], image: string): Promise<void> {
    try {
      const { docker } = await node.engine.connect()
      const fresh = await findFreshVolumes(docker, mounts)
      await openToAll(docker, fresh, {
        Image: image,
        Labels: { [LABELS.service]: serviceId, [LABELS.part]: 'volumes' },
      })
    } catch (error) {
      log.warn('fresh volumes of a node not opened to all users', {
        machine,
        node: node.name,
        why: engineMessage(error),
      })
    }
  }

  function foldersFor({ container }: Pick<WorkerPlan, 'container'>) {
    return createWorkerFolders(options, allowedNodes(container, nodes.all()))
  }

  async function stop(workerId: string, graceMs: number): Promise<void> {
    starting.get(workerId)?.abort(new Error('it was asked to stop'))
    const tracked = running.get(workerId)
    if (tracked === undefined) return
    const node = nodes.get(tracked.node.id)
    if (engine.problem() === undefined && (node === undefined || whyAway(node) !== undefined))
      return giveUp(workerId, node)
    await tracked.worker.stop(graceMs)
  }

  async function adopt({ workerId, handle }: { workerId: string; handle: string }): Promise<boolean> {
    const { container, node: nodeId, service }: Partial<Handle> = JSON.parse(handle)
    if (container === undefined || nodeId === undefined || service === undefined) return false
    const attempt = async (): Promise<boolean> => {
      await swarm.ensure(await engine.connect())
      const node = nodes.get(nodeId)
      if (node === undefined) return false
      const found = (await node.engine.connect()).docker.getContainer(container)
      const { State, Config } = await found.inspect()
      if (!State.Running || !isContainerOf(Config.Labels, { serviceId, workerId })) return false
      if (State.Paused) await found.unpause()
      await track(workerId, { nodeId, containerId: container }, service, readPortsLabel(Config.Labels[LABELS.ports]))
      return true
    }
    return swarm.whileSettling(attempt).catch((error: unknown) => {
      log.warn('worker not adopted', { workerId, machine, why: engineMessage(error) })
      return false
    })
  }

  function sweepNow(): void {
    sweep().catch((error) => log.warn('services without an owner not removed', { machine, error }))
  }

  async function sweep(): Promise<void> {
    const { docker } = await engine.connect()
    const filters = { label: [`${LABELS.service}=${serviceId}`, LABELS.worker] }
    const found = await docker.listServices({ filters })
    sweepDue = false
    const others = found.flatMap(({ Spec }) => {
      const workerId = Spec?.Labels?.[LABELS.worker] ?? ''
      return running.has(workerId) || starting.has(workerId) || Spec?.Name === undefined ? [] : [Spec.Name]
    })
    await Promise.all(others.map((service) => removeService(docker, service)))
    marks.keepOnly(new Set(running.keys()))
  }

  function capacity({ container }: Parameters<Fleet['capacity']>[0]): ReturnType<Fleet['capacity']> {
    const problem = engine.problem()
    if (problem !== undefined) return { free: 0, reason: problem, never: !engine.wasConnected(), isAway: true }
    if (cancelNodesBack !== undefined && [...running.keys()].some((workerId) => awayNode(workerId) !== undefined))
      return { free: 0, reason: 'reconnecting to its nodes' }
    const used = running.size
    const free = Math.max(0, maxWorkers() - used)
    if (free === 0) return { free, reason: `${used} of ${maxWorkers()} worker containers are in use` }
    const none = noRoom(container, nodes.all())
    if (none !== undefined) return none
    return refused.roomFor({ container }) ?? { free, reason: undefined }
  }

  function awayNode(workerId: string): string | undefined {
    const tracked = running.get(workerId)
    if (tracked === undefined) return undefined
    const node = nodes.get(tracked.node.id)
    const isReached = node !== undefined && whyAway(node) === undefined
    return isReached ? undefined : tracked.node.name
  }

  async function ensure(plan: WorkerPlan, watch: Watch): Promise<ServiceReach> {
    const connected = await engine.connect()
    refuseUnsupported(plan, machine)
    watch.report('connecting to the nodes of the swarm')
    await swarm.ensure(connected)
    await images.ensure(connected, plan, watch)
    const { ref } = await pinnedImage(connected.docker, images.nameFor(plan))
    await nodeImages.bringToAll(ref, plan.container, watch)
    await foldersFor(plan).mounts.send(plan, watch)
    return options.reach
  }

  return {
    ensure: (plan, watch) => engine.checkedAfter(ensure(plan, watch)),
    prepare: async () => undefined,
    start: (spec) => engine.checkedAfter(start(spec)),
    stop,
    pause: async (workerId) => running.get(workerId)?.worker.pause(),
    resume: async (workerId) => running.get(workerId)?.worker.resume(),
    list: () => [...running.values()].map(({ worker }) => worker.facts),
    isAway: (workerId) => running.has(workerId) && (engine.problem() !== undefined || awayNode(workerId) !== undefined),
    awayNode: (workerId) => (engine.problem() === undefined ? awayNode(workerId) : undefined),
    async checkAway(workerId) {
      const node = running.get(workerId)?.node
      await Promise.all([engine.check(), node && nodes.get(node.id)?.engine.check()])
    },
    adopt,
    async sweep() {
      if (!state.used()) return
      sweepDue = true
      await sweep().catch(() => undefined)
    },
    drainOutput: () => undefined,
    capacity,
    async refusal({ container }) {
      try {
        refuseUnsupported({ container }, machine)
        await swarm.ensure(await engine.findEngine())
        const cards = container === undefined ? undefined : cardWish(container, nodes.all())
        return cards !== undefined && 'reason' in cards ? cards.reason : undefined
      } catch (error) {
        return (error as Error).message.replace(/\.$/, '')
      }
    },
    usage: (workerIds) =>
      readUsage({
        workers: workerIds.flatMap((id) => running.get(id)?.worker ?? []),
        gpus: noCards,
        gpuReader: { inventory: async () => ({ cards: [] }), processes: async () => [] },
        log,
      }),
    async openShell(workerId, size, listener) {
      const tracked = running.get(workerId)
      if (tracked === undefined) throw new Error('it is not running yet')
      return openContainerShell(tracked.worker.container, size, listener)
    },
    containerHost: createContainerHost({ engine, images, gpus: noCards }),
    onExit: exits.on,
    onOutput: outputs.on,
    onCapacity: capacityChanges.on,
    async close() {
      try {
        await Promise.all([...running.keys(), ...starting.keys()].map((workerId) => stop(workerId, 0)))
      } finally {
        noCards.close()
        engine.close()
      }
    },
  }
}
