/**
 * Images on swarm nodes: the manager has it first, then nodes get exactly that one by registry digest, or as a copy by
 * id.
 */

import { registryName, registryOf, splitImage } from '../docker/docker-login.ts'
import type { Connected } from '../docker/engine.ts'
import { engineMessage } from '../docker/engine-messages.ts'
import { createImageStore, hasImage, type ImageStore, type ImageStoreOptions } from '../docker/images.ts'
import { createSharedWork } from '../docker/shared-work.ts'
import type { Watch, WorkerPlan } from '../port.ts'
import type { HubClient } from './hub-client.ts'
import { answers } from './swarm.ts'
import { READY, type SwarmNode, type SwarmNodes } from './swarm-nodes.ts'
import type { ImageProgram } from './worker-service.ts'

export type PinnedImage = { readonly ref: string; readonly program: ImageProgram }

/**
 * An image reference all nodes can obtain.
 * @param name as in settings or our own
 */
export async function pinnedImage(docker: Connected['docker'], name: string): Promise<PinnedImage> {
  const { Id, RepoDigests = [], Config } = await docker.getImage(name).inspect()
  const program = { entrypoint: [Config.Entrypoint ?? []].flat(), command: Config.Cmd ?? [] }
  const { fromImage } = splitImage(name)
  const digest = RepoDigests.find((one) => isSame(one.split('@', 1)[0] ?? '', fromImage))
  return { ref: digest ?? Id, program }
}

const LIBRARY = 'library/'
const pathOf = (image: string) => {
  const path =
    registryOf(image) === registryName(image.split('/', 1)[0] ?? '') ? image.slice(image.indexOf('/') + 1) : image
  return path.startsWith(LIBRARY) ? path.slice(LIBRARY.length) : path
}
const isSame = (a: string, b: string) => registryOf(a) === registryOf(b) && pathOf(a) === pathOf(b)

export function createNodeImages(
  options: ImageStoreOptions,
  { nodes, hub }: { readonly nodes: Pick<SwarmNodes, 'all'>; readonly hub: Pick<HubClient, 'copy'> },
) {
  const stores = new Map<string, ImageStore>()
  const share = createSharedWork()

  function storeOf({ id }: SwarmNode): ImageStore {
    const store = stores.get(id) ?? createImageStore(options)
    stores.set(id, store)
    return store
  }

  async function bring(node: SwarmNode, ref: string, container: WorkerPlan['container'], watch: Watch): Promise<void> {
    const { docker } = await node.engine.connect()
    if (await hasImage(docker, ref)) return
    const onNode = { ...watch, report: (text: string) => watch.report(`${text} on node ${node.name}`) }
    if (container !== undefined && ref.includes('@')) {
      const wanted = { ...container, image: ref, pull: 'missing' as const }
      return storeOf(node).ensure({ docker }, { container: wanted }, onNode)
    }
    await share(`${ref} ${node.id}`, onNode, async ({ report }) => {
      const source = await haver(ref, nodes.all())
      if (source?.agent === undefined || node.agent === undefined) throw new Error('no node that has it can be reached')
      report('copying the image')
      await hub.copy(ref, { from: source.agent, to: node.agent })
    })
  }

  return {
    /** To all worker nodes. Rejects with a sentence if none got it. */
    async bringToAll(ref: string, container: WorkerPlan['container'], watch: Watch): Promise<void> {
      const wanted = nodes.all().filter((node) => node.state === READY && answers(node))
      const ends = await Promise.allSettled(wanted.map((node) => bring(node, ref, container, watch)))
      watch.signal.throwIfAborted()
      const failed = ends.flatMap((end, at) =>
        end.status === 'rejected' ? [`node ${wanted[at]?.name}: ${engineMessage(end.reason)}`] : [],
      )
      if (failed.length > 0 && failed.length === wanted.length)
        throw new Error(`no node of the swarm could get the image: ${failed.join('; ')}`)
    },
    async lacking(ref: string): Promise<readonly SwarmNode[]> {
      if (ref.includes('@')) return []
      const asked = nodes.all().filter((node) => node.state === READY && answers(node))
      const there = await Promise.all(asked.map((node) => isOnNode(node, ref)))
      return asked.filter((_, at) => there[at] === false)
    },
  }
}

async function haver(ref: string, nodes: readonly SwarmNode[]): Promise<SwarmNode | undefined> {
  const managersFirst = nodes.filter(answers).toSorted((a, b) => (a.role < b.role ? -1 : 1))
  for (const node of managersFirst) if ((await isOnNode(node, ref)) === true) return node
  return undefined
}

async function isOnNode({ engine }: SwarmNode, ref: string): Promise<boolean | undefined> {
  try {
    return await hasImage((await engine.connect()).docker, ref)
  } catch {
    return undefined
  }
}
