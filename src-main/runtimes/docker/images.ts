/** Images are pulled or built once for all waiting workers. They may vanish, so each start checks in some ms. */
import type Docker from 'dockerode'
import type { ContainerSettings, RegistryCredentials } from '../../contract/container.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ImageFacts, MeasuredPull, OwnImage, Watch, WorkerPlan } from '../port.ts'
import { dockerLogin, type RegistryLogin, registryName, registryOf, splitImage } from './docker-login.ts'
import type { Connected } from './engine.ts'
import { createPullProgress, engineMessage, ifThere, readMessages, shortened } from './engine-messages.ts'
import type { EngineSurroundings } from './find-engine.ts'
import { pushImage } from './push-image.ts'
import { createSharedWork } from './shared-work.ts'
import { createWorkerImage, type WantedImage, type WorkerImageOptions } from './worker-image.ts'

export type ImageStore = ReturnType<typeof createImageStore>

export type ImageStoreOptions = WorkerImageOptions & {
  readonly clock: Pick<Clock, 'steady'>
  readonly surroundings: Pick<EngineSurroundings, 'env' | 'home'>
  readonly registryAuth: (name: string) => RegistryCredentials | undefined
}

type WantedWorkerImage = WantedImage & Partial<Pick<ContainerSettings, 'pull'>>
type Wanted = Pick<ContainerSettings, 'pull' | 'registryAuth'> & { readonly image: string }

/**
 * Freshness of always-pulled images, ms: pulling at each start would delay jobs, and Docker Hub allows 100 pulls in 6
 * hours.
 */
const FRESH_MS = 5 * 60_000

// Platform credentials name no registry and apply to the image's.
const ANY_REGISTRY = '*'

// Defaults for settings that an earlier version stored without these fields.
const USUAL: WantedImage = { packages: [], systemPackages: [] }

export function createImageStore(options: ImageStoreOptions) {
  const { clock, log, surroundings, registryAuth } = options
  const worker = createWorkerImage(options)
  const share = createSharedWork()
  const pulledAt = new Map<string, number>()
  const pulls: MeasuredPull[] = []
  const workerImages = new Set<string>()

  const isFresh = (image: string) => clock.steady() - (pulledAt.get(image) ?? Number.NEGATIVE_INFINITY) < FRESH_MS

  async function loginFor({ image, registryAuth: name }: Wanted): Promise<RegistryLogin | undefined> {
    if (name !== undefined) {
      const stored = registryAuth(name)
      if (stored === undefined)
        throw new Error(
          `there are no registry credentials ${name}. Store them: drydock registry add ${name} --server HOST --username USER`,
        )
      const server = stored.server === ANY_REGISTRY ? registryOf(image) : stored.server
      if (registryName(server) !== registryOf(image))
        throw new Error(
          `the registry credentials ${name} are for ${stored.server}, and the image ${image} is from ${registryOf(image)}`,
        )
      return { username: stored.username, password: stored.password, serveraddress: server }
    }
    try {
      return await dockerLogin(surroundings, registryOf(image))
    } catch (error) {
      log.warn('credentials of docker login not read', { registry: registryOf(image), why: (error as Error).message })
      return undefined
    }
  }

  async function pull(docker: Docker, wanted: Wanted, watch: Watch, isHere: boolean): Promise<void> {
    const { image, registryAuth: name } = wanted
    const login = await loginFor(wanted)
    const began = clock.steady()
    try {
      await pullImage(docker, image, { ...watch, login })
    } catch (error) {
      watch.signal.throwIfAborted()
      const what = isHere ? `the image ${image} could not be pulled` : missing(image, 'and could not be pulled')
      const advice =
        name === undefined
          ? 'Check the name, or for a private image pass credentials with --registry-auth'
          : `Check the name, and the registry credentials ${name}`
      throw new Error(`${what}: ${(error as Error).message.replace(/\.$/, '')}. ${advice}`, { cause: error })
    }
    pulledAt.set(image, clock.steady())
    const { Size: bytes } = await docker.getImage(image).inspect()
    // A newer version of an image that was here came without the layers that both have.
    if (!isHere) pulls.push({ image, bytes, tookMs: clock.steady() - began })
    log.info('image pulled', { image })
  }

  async function ensureImage(docker: Docker, wanted: Wanted, watch: Watch): Promise<void> {
    const { image } = wanted
    const isHere = await hasImage(docker, image)
    if (isHere && (wanted.pull !== 'always' || isFresh(image))) return
    if (wanted.pull === 'never')
      throw new Error(`${missing(image, 'and the endpoint never pulls')}. Pull it: docker pull ${image}`)
    const who = `pull ${image} as ${wanted.registryAuth ?? ''}`
    await share(who, watch, (shared) => pull(docker, wanted, shared, isHere))
  }

  async function ensureBase(docker: Docker, wanted: WantedWorkerImage, watch: Watch): Promise<void> {
    // Pulled separately, because builds report no progress and lack credentials.
    const pull = wanted.pull === 'never' ? 'never' : 'missing'
    await ensureImage(docker, { image: worker.base(wanted), pull, registryAuth: undefined }, watch)
  }

  async function ensurePackages(docker: Docker, wanted: WantedWorkerImage, watch: Watch): Promise<void> {
    const image = worker.packagesName(wanted)
    if (image === undefined) return ensureBase(docker, wanted, watch)
    if (await hasImage(docker, image)) return
    await share(`build ${image}`, watch, async (shared) => {
      await ensureBase(docker, wanted, shared)
      await worker.buildPackages(docker, wanted, shared)
    })
  }

  async function ensureWorkerImage(docker: Docker, wanted: WantedWorkerImage, watch: Watch): Promise<void> {
    const image = worker.name(wanted)
    workerImages.add(image)
    if (await hasImage(docker, image)) return
    await share(`build ${image}`, watch, async (shared) => {
      const began = clock.steady()
      await ensurePackages(docker, wanted, shared)
      await worker.build(docker, wanted, shared)
      log.info('worker image built', { image, tookMs: Math.round(clock.steady() - began) })
      await worker.removeOld(docker, workerImages)
    })
  }

  return {
    nameFor: ({ container }: Pick<WorkerPlan, 'container'>): string =>
      container?.image ?? worker.name({ ...USUAL, ...container }),
    async ensure(
      { docker }: Pick<Connected, 'docker'>,
      { container }: Pick<WorkerPlan, 'container'>,
      watch: Watch,
    ): Promise<void> {
      if (container?.image === undefined) return ensureWorkerImage(docker, { ...USUAL, ...container }, watch)
      const { image, pull, registryAuth: name } = container
      return ensureImage(docker, { image, pull, registryAuth: name }, watch)
    },
    async login({ container }: Pick<WorkerPlan, 'container'>): Promise<RegistryLogin | undefined> {
      if (container?.image === undefined) return undefined
      const { image, pull, registryAuth: name } = container
      return loginFor({ image, pull, registryAuth: name })
    },
    async ensurePython({ docker }: Pick<Connected, 'docker'>, watch: Watch): Promise<string> {
      await ensureBase(docker, USUAL, watch)
      return worker.base(USUAL)
    },
    pulls: (): readonly MeasuredPull[] => pulls,
    async facts(docker: Docker, reference: string): Promise<ImageFacts | undefined> {
      const found = await docker.getImage(reference).inspect().catch(ifThere)
      if (found === undefined) return undefined
      const { fromImage } = splitImage(reference)
      const pinned = (found.RepoDigests ?? []).find((one) => one.startsWith(`${fromImage}@`))
      return { pinned: pinned ?? found.Id, bytes: found.Size, isInRegistry: pinned !== undefined }
    },
    async push(docker: Docker, wanted: Omit<Wanted, 'pull'>, watch: Watch): Promise<string> {
      const digest = await pushImage(docker, wanted.image, {
        ...watch,
        login: await loginFor({ ...wanted, pull: 'never' }),
      })
      log.info('image pushed', { image: wanted.image })
      return digest
    },
    own: (docker: Docker): Promise<readonly OwnImage[]> => worker.list(docker, workerImages),
    removeOld: (docker: Docker): Promise<void> => worker.removeOld(docker, workerImages),
  }
}

const missing = (image: string, why: string) => `the image ${image} is missing ${why}`

export async function hasImage(docker: Docker, image: string): Promise<boolean> {
  return (await docker.getImage(image).inspect().catch(ifThere)) !== undefined
}

/**
 * Pulls an image; an abort stops the download, since the engine ends it without a listener.
 * @throws Error with the engine's message, or the signal's reason
 */
async function pullImage(
  docker: Docker,
  image: string,
  { login, report, signal }: Watch & { readonly login: RegistryLogin | undefined },
): Promise<void> {
  const progress = createPullProgress(image)
  report(`pulling ${image}`)
  try {
    const stream = await docker.createImage(login, { ...splitImage(image), abortSignal: signal })
    for await (const message of readMessages(stream)) {
      if (message.error !== undefined) throw new Error(shortened(message.error))
      const progressText = progress(message)
      if (progressText !== undefined) report(progressText)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(engineMessage(error), { cause: error })
  }
}
