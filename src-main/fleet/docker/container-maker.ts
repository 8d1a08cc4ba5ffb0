/** Makes the containers of workers: image, network, cards and limits put together, and handed to the engine. */
import type Docker from 'dockerode'
import { type GpuDevices, gpuDevices, withoutGpus } from '../../domain/worker/gpu-devices.ts'
import type { WorkerSpec } from '../../services/ports/fleet.ts'
import { containerOptions } from './container-options.ts'
import { removeContainer } from './container-worker.ts'
import type { Connected, Engine } from './engine.ts'
import { engineMessage } from './engine-messages.ts'
import { findFreshVolumes, openToAll } from './fresh-volumes.ts'
import type { GpuBook } from './gpu-book.ts'
import type { ImageStore } from './images.ts'
import { containerName, labelsOf, type Maker } from './labels.ts'
import type { WorkerNetworks } from './networks.ts'
import type { DockerPlace } from './place.ts'

/** What making a container needs. */
export type ContainerMakerOptions = Maker & {
  readonly engine: Engine
  readonly images: Pick<ImageStore, 'nameFor'>
  readonly networks: WorkerNetworks
  readonly gpus: GpuBook
  readonly place: Pick<DockerPlace, 'mounts' | 'hasGpuHook' | 'user'>
  /** Is notified of an endpoint whose disk the engine cannot limit, and why. */
  readonly onNoDiskLimit: (endpointId: string, why: string) => void
  /** To be awaited before the first container is made, so that a later run looks for what is left. */
  readonly noteUse: () => Promise<void>
}

/** Makes a container; its cards are taken, and given back when it could not be made. Rejects with a reason. */
export async function makeContainer(options: ContainerMakerOptions, spec: WorkerSpec): Promise<Docker.Container> {
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
      labels: labelsOf(options, spec, gpuIds),
      gpus: devicesFor(options, connected, gpuIds),
    })
    await options.noteUse()
    const named = { ...create, name: containerName(options, spec) }
    const made = await createContainer(connected.docker, named, (why) => options.onNoDiskLimit(spec.endpointId, why))
    await openVolumesOf(made, connected.docker, { fresh, like: { Image: create.Image, Labels: create.Labels } })
    return made
  } catch (error) {
    gpus.release(spec.workerId)
    throw new Error(`the container could not be created: ${engineMessage(error)}`)
  }
}

/** Opens the fresh volumes of a container to all users. Where that fails the container is removed, since it never runs. */
export async function openVolumesOf(
  made: Docker.Container,
  docker: Pick<Docker, 'createContainer'>,
  { fresh, like }: { readonly fresh: Parameters<typeof openToAll>[1]; readonly like: Parameters<typeof openToAll>[2] },
): Promise<void> {
  try {
    await openToAll(docker, fresh, like)
  } catch (error) {
    // One that cannot be removed now is swept with the others that have no worker.
    await removeContainer(made, () => undefined)
    throw error
  }
}

/**
 * What the engine needs to hand out these cards of the book.
 * @param ids of the cards; none: what hides all of them
 * @throws Error with the reason when this engine hands out none
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

// A name is no more than a help to whoever reads it. Source: the engine's words.
const NAME_TAKEN = /name .* is already in use/i
// On overlay2 it takes a file system with project quotas, which few machines have. Source: the engine's words.
const NO_DISK_LIMIT = /storage-opt|storage driver|pquota|project quota/i

/**
 * Makes a container. An engine that cannot limit its disk makes it without that limit: an endpoint that runs is worth
 * more than one limit, and the other ones hold. A name that is taken is left out likewise.
 * @param onNoDiskLimit receives why there is none
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
      // Of one whose making was cut off: the sweep removes it, and this worker does not wait for that.
      const { name: _taken, ...unnamed } = options
      return createContainer(docker, unnamed, onNoDiskLimit)
    }
    const { StorageOpt, ...others } = options.HostConfig ?? {}
    if (StorageOpt === undefined || !NO_DISK_LIMIT.test(message)) throw error
    onNoDiskLimit(message)
    return createContainer(docker, { ...options, HostConfig: others }, onNoDiskLimit)
  }
}
