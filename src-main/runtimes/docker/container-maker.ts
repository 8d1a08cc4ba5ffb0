import type Docker from 'dockerode'
import type { WorkerSpec } from '../port.ts'
import { type GpuDevices, gpuDevices, withoutGpus } from '../rules/gpu-devices.ts'
import { containerOptions } from './container-options.ts'
import { removeContainer } from './container-worker.ts'
import type { Connected, Engine } from './engine.ts'
import type { EngineHost } from './engine-host.ts'
import { engineMessage } from './engine-messages.ts'
import { findFreshVolumes, openToAll } from './fresh-volumes.ts'
import type { GpuAllocator } from './gpu-allocator.ts'
import type { ImageStore } from './images.ts'
import { containerName, labelsOf, type Maker } from './labels.ts'
import type { WorkerNetworks } from './networks.ts'

export type ContainerMakerOptions = Maker & {
  readonly engine: Engine
  readonly images: Pick<ImageStore, 'nameFor'>
  readonly networks: WorkerNetworks
  readonly gpus: GpuAllocator
  readonly place: Pick<EngineHost, 'mounts' | 'hasGpuHook' | 'user'>
  readonly onNoDiskLimit: (endpointId: string, why: string) => void
  readonly noteUse: () => Promise<void>
}

type Marks = {
  readonly name: string
  readonly labels: (gpuIds: readonly string[]) => Record<string, string>
}

/** Takes GPUs, and returns them on failure. Rejects with a reason. */
export async function makeContainer(
  options: ContainerMakerOptions,
  spec: WorkerSpec,
  { name, labels }: Marks = {
    name: containerName(options, spec),
    labels: (gpuIds) => labelsOf(options, spec, gpuIds),
  },
): Promise<Docker.Container> {
  const { engine, images, networks, gpus, place } = options
  const connected = await engine.connect()
  const network = await networks.get(connected, spec.container?.egress ?? true)
  const gpuIds = spec.container === undefined ? [] : gpus.take(spec.workerId, spec.endpointId, spec.container)
  try {
    const mounts = await place.mounts(spec, connected)
    const fresh = await findFreshVolumes(connected.docker, mounts)
    const create = containerOptions({
      spec,
      image: images.nameFor(spec),
      mounts,
      serviceUser: place.user,
      network,
      engine: connected.facts,
      labels: labels(gpuIds),
      gpus: devicesFor(options, connected, gpuIds),
    })
    await options.noteUse()
    const named = { ...create, name }
    const made = await createContainer(connected.docker, named, (why) => options.onNoDiskLimit(spec.endpointId, why))
    await openVolumesOf(made, connected.docker, { fresh, like: { Image: create.Image, Labels: create.Labels } })
    return made
  } catch (error) {
    gpus.release(spec.workerId)
    throw new Error(`the container could not be created: ${engineMessage(error)}`)
  }
}

export async function openVolumesOf(
  made: Docker.Container,
  docker: Pick<Docker, 'createContainer'>,
  { fresh, like }: { readonly fresh: Parameters<typeof openToAll>[1]; readonly like: Parameters<typeof openToAll>[2] },
): Promise<void> {
  try {
    await openToAll(docker, fresh, like)
  } catch (error) {
    await removeContainer(made, () => undefined)
    throw error
  }
}

/**
 * @param ids none hides all GPUs
 * @throws Error with the reason if this engine cannot assign any
 */
export function devicesFor(
  { gpus, place }: Pick<ContainerMakerOptions, 'gpus' | 'place'>,
  { facts }: Pick<Connected, 'facts'>,
  ids: readonly string[],
): GpuDevices {
  if (ids.length === 0) return { hostConfig: {}, env: withoutGpus(facts.info) }
  const cards = gpus.cards()
  const found = gpuDevices(
    facts.info,
    cards.filter(({ id }) => ids.includes(id)),
    cards,
    place.hasGpuHook(),
  )
  if ('reason' in found) throw new Error(`${found.reason}. ${found.fix}`)
  return found
}

const NAME_TAKEN = /name .* is already in use/i
// overlay2 needs a file system with project quotas, which few machines have. Source: the engine's words.
const NO_DISK_LIMIT = /storage-opt|storage driver|pquota|project quota/i

/**
 * Creates a container, without a disk limit if the engine supports none, since running is worth more than one limit;
 * likewise without a taken name.
 * @param onNoDiskLimit receives the reason
 */
export async function createContainer(
  docker: Pick<Docker, 'createContainer'>,
  options: Docker.ContainerCreateOptions,
  onNoDiskLimit: (why: string) => void,
): Promise<Docker.Container> {
  try {
    return await docker.createContainer(options)
  } catch (error) {
    const message = engineMessage(error)
    if (options.name !== undefined && NAME_TAKEN.test(message)) {
      const { name: _taken, ...unnamed } = options
      return createContainer(docker, unnamed, onNoDiskLimit)
    }
    const { StorageOpt, ...others } = options.HostConfig ?? {}
    if (StorageOpt === undefined || !NO_DISK_LIMIT.test(message)) throw error
    onNoDiskLimit(message)
    return createContainer(docker, { ...options, HostConfig: others }, onNoDiskLimit)
  }
}
