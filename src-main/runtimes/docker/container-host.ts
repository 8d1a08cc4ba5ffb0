import type Docker from 'dockerode'
import type { ContainerHost } from '../port.ts'
import type { Engine, EngineFacts } from './engine.ts'
import type { GpuAllocator } from './gpu-allocator.ts'
import type { ImageStore } from './images.ts'

export type ContainerHostOptions = {
  readonly engine: Engine
  readonly images: ImageStore
  readonly gpus: GpuAllocator
}

const ADVICE = /\. Start Docker, or set DOCKER_HOST$/

export function createContainerHost({ engine, images, gpus }: ContainerHostOptions): ContainerHost {
  return {
    async engine() {
      const lost = engine.problem()
      try {
        const { docker, facts } = await engine.findEngine()
        const { version, source, info } = facts
        return { state: 'connected', version, source, info, platform: await platformOf(docker, info) }
      } catch (error) {
        const reason = (lost ?? (error as Error).message).replace(ADVICE, '')
        return { state: engine.wasConnected() ? 'reconnecting' : 'absent', reason }
      }
    },
    async gpus(fresh) {
      if (fresh || gpus.inventory() === undefined) await gpus.refresh()
      return { inventory: gpus.inventory() ?? { cards: [] }, holds: gpus.holds() }
    },
    images: async () => images.own((await engine.findEngine()).docker),
    removeOldImages: async () => images.removeOld((await engine.findEngine()).docker),
    image: async (reference) => images.facts((await engine.findEngine()).docker, reference),
    pulls: images.pulls,
    push: async (wanted, watch) => images.push((await engine.findEngine()).docker, wanted, watch),
    workerImage: () => images.nameFor({ container: undefined }),
    makeWorkerImage: async (watch) => images.ensure(await engine.findEngine(), { container: undefined }, watch),
  }
}

async function platformOf(docker: Docker, { OperatingSystem }: EngineFacts['info']): Promise<string | undefined> {
  if (!String(OperatingSystem).includes('Docker Desktop')) return undefined
  return (await docker.version()).Platform?.Name
}
