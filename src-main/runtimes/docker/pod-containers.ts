/**
 * Containers of pods outlive the service, which finds them by their labels. Each start makes a new one, so only volumes
 * are kept.
 */
import type Docker from 'dockerode'
import type { PodState } from '../../contract/pods.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { PodContainers, PodSpec, WorkerSpec } from '../port.ts'
import { followContainerLogs } from './container-logs.ts'
import { type ContainerMakerOptions, makeContainer } from './container-maker.ts'
import { exitOf, removeContainer } from './container-worker.ts'
import { engineMessage, ifThere, NOT_FOUND, statusOf } from './engine-messages.ts'
import type { ImageStore } from './images.ts'
import { LABELS } from './labels.ts'

type PodContainersOptions = {
  readonly making: ContainerMakerOptions & { readonly images: ImageStore }
  readonly clock: Clock
  readonly log: Log
}

const MS_PER_SECOND = 1000

export function createPodContainers({ making, clock, log }: PodContainersOptions): PodContainers {
  const { engine, gpus, images, networks, serviceId } = making
  const nameOf = (id: string) => `drydock-${serviceId}-pod-${id}`
  // Containers that hold their pod's GPUs; the exit of an earlier container may be reported late.
  const holders = new Map<string, string>()
  let isWatched = false

  engine.onEvent(({ action, containerId, attributes }) => {
    const id = attributes[LABELS.pod]
    if (action === 'die' && id !== undefined && holders.get(id) === containerId) gpus.release(id)
  })
  engine.onChange((change) => {
    if (change === 'connected' && isWatched) adoptInBackground()
  })

  const connect = () => engine.findEngine()

  /** Newest first. By label, as other containers may have the name. */
  async function labelled(label: string): Promise<readonly Docker.ContainerInfo[]> {
    const { docker } = await connect()
    const filters = { label: [`${LABELS.service}=${serviceId}`, label] }
    return (await docker.listContainers({ all: true, filters })).toSorted((a, b) => b.Created - a.Created)
  }

  async function containersOf(id: string): Promise<readonly Docker.Container[]> {
    const { docker } = await connect()
    return (await labelled(`${LABELS.pod}=${id}`)).map(({ Id }) => docker.getContainer(Id))
  }

  function adoptInBackground(): void {
    adopt().catch((error: Error) => log.warn('pods were not found again', { error: error.message }))
  }

  async function found(): Promise<readonly (Docker.ContainerInspectInfo & { readonly podId: string })[]> {
    const { docker } = await connect()
    const newest = new Map<string | undefined, string>()
    // A container that only opens a volume has the pod's labels, and no network.
    for (const { Id, Labels, HostConfig } of await labelled(LABELS.pod))
      if (HostConfig.NetworkMode !== 'none' && !newest.has(Labels[LABELS.pod])) newest.set(Labels[LABELS.pod], Id)
    const states = await Promise.all([...newest.values()].map((Id) => docker.getContainer(Id).inspect().catch(ifThere)))
    return states.flatMap((state) =>
      state === undefined ? [] : [{ ...state, podId: state.Config.Labels[LABELS.pod] ?? '' }],
    )
  }

  /** Claims the GPUs of running pods, and reopens the networks through which they call the service. */
  async function adopt(): Promise<void> {
    isWatched = true
    const running = (await found()).filter(({ State }) => State.Running)
    for (const { podId, Id, Config } of running) {
      holders.set(podId, Id)
      const ids = (Config.Labels[LABELS.gpus] ?? '').split(',').filter(Boolean)
      gpus.adopt(podId, podId, ids, false)
    }
    const names = running.flatMap(({ NetworkSettings }) => Object.keys(NetworkSettings.Networks))
    if (names.length > 0) await networks.reopen(await connect(), names)
  }

  async function removeOld(id: string): Promise<void> {
    for (const container of await containersOf(id))
      await removeContainer(container, (error) => {
        throw new Error(`the container could not be removed: ${engineMessage(error)}`)
      })
    holders.delete(id)
    gpus.release(id)
  }

  function specOf({ id, env, container, ownVolume }: PodSpec): WorkerSpec {
    const own = ownVolume === undefined ? [] : [{ source: nameOf(id), target: ownVolume, readOnly: false }]
    return {
      ...{ endpointId: id, workerId: id, env, container: { ...container, volumes: [...container.volumes, ...own] } },
      ...{ handler: undefined, command: undefined, cwd: undefined, python: '' },
      ...{ loadBalanced: undefined, app: undefined },
    }
  }

  return {
    adopt,
    async problem() {
      try {
        await connect()
        return undefined
      } catch (error) {
        return (error as Error).message.replace(/\.$/, '')
      }
    },
    async start(given, watch) {
      isWatched = true
      const spec = specOf(given)
      const connected = await connect()
      await images.ensure(connected, spec, watch)
      if (spec.container?.gpu !== undefined) await gpus.refresh()
      watch.signal.throwIfAborted()
      await removeOld(given.id)
      const labels = (gpuIds: readonly string[]) => ({
        [LABELS.service]: serviceId,
        [LABELS.pod]: given.id,
        ...(gpuIds.length === 0 ? {} : { [LABELS.gpus]: gpuIds.join(',') }),
      })
      const container = await makeContainer(making, spec, { name: nameOf(given.id), labels })
      holders.set(given.id, container.id)
      try {
        watch.signal.throwIfAborted()
        await container.start()
      } catch (error) {
        gpus.release(given.id)
        await removeContainer(container, () => undefined)
        watch.signal.throwIfAborted()
        throw new Error(`the container could not be started: ${engineMessage(error)}`)
      }
    },
    async stop(id, graceMs) {
      // Already stopped (304), or gone.
      for (const container of await containersOf(id))
        await container.stop({ t: Math.ceil(graceMs / MS_PER_SECOND) }).catch((error: unknown) => {
          if (statusOf(error) !== 304 && statusOf(error) !== NOT_FOUND) throw new Error(engineMessage(error))
        })
      gpus.release(id)
    },
    async remove(id) {
      await removeOld(id)
      const { docker } = await connect()
      await docker.getVolume(nameOf(id)).remove().catch(ifThere)
    },
    states: async () => new Map((await found()).map((state) => [state.podId, stateOf(state)])),
    async follow(id, { onLines, ...options }) {
      const [container] = await containersOf(id)
      if (container === undefined) throw new Error('the pod has no container')
      const follower = await followContainerLogs(container, {
        ...options,
        onLines: (lines) => onLines(lines.map(({ text, at }) => ({ text, at }))),
        now: clock.steady,
        after: clock.after,
      })
      return follower
    },
  }
}

function stateOf({ State, NetworkSettings, HostConfig }: Docker.ContainerInspectInfo): PodState {
  const published = Object.entries(NetworkSettings.Ports ?? {}).flatMap(([inside, bound]) => {
    const port = Number(bound?.[0]?.HostPort ?? 0)
    return port === 0 ? [] : [[inside.split('/', 1)[0] ?? '', port] as const]
  })
  return {
    isRunning: State.Running,
    startedAt: Date.parse(State.StartedAt),
    ports: Object.fromEntries(published),
    exit: State.Running ? undefined : exitOf(State, HostConfig.Memory),
  }
}
