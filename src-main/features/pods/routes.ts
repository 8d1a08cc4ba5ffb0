import type { Context } from 'hono'
import type { Pod, PodFields } from '../../contract/pods.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import { followAsEvents } from '../../http/send-response.ts'
import { followPlatformPod } from '../platform-api/routes/endpoints.ts'
import { endTaskCall, findTaskCall } from '../platform-api/task-calls.ts'
import type { ServiceContext } from '../service-context.ts'
import type { PodLinesWish } from './pod-logs.ts'
import type { Pods } from './pods.ts'

type Services = ServiceContext & { readonly pods: Pods }
type OfPod = { readonly path: { readonly id: string } }
type Changed = OfPod & { readonly body: PodFields }

const read = async ({ path }: OfPod, { pods }: Services) => await pods.read(path.id)
const update = async ({ path, body }: Changed, { pods }: Services) => await pods.update(path.id, body)

async function remove({ path }: OfPod, service: Services): Promise<undefined> {
  const call = findTaskCall(service.storage, path.id)
  await (call === undefined ? service.pods.remove(path.id) : endTaskCall(service, call))
  return undefined
}

export const POD_OPERATIONS = {
  podList: async (_request, { pods }) => ({
    pods: await pods.list(),
    pagination: { hasNextPage: false, nextCursor: null },
  }),
  podCreate: async ({ body }, { pods }) => await pods.create(body),
  podRead: read,
  podUpdate: update,
  podDelete: remove,
  podAct: async ({ path, body }, { pods }) => await pods.act(path.id, body.action),
  async podLogs({ c, path, query }, service) {
    const { tail = USUAL_TAIL, since, source, wait } = query
    const sources = source === undefined ? (['container', 'system'] as const) : [source]
    if (service.storage.pods.get(path.id) === undefined)
      return followPlatformPod(c, service, path.id, { tail, since, sources })
    return await followPod(c, service, path.id, { tail, since, sources, follow: wait !== 'false' })
  },
  async podListV1({ query: { name, computeType } }, { pods }) {
    const kindOf = ({ gpu }: Pod) => (gpu === null ? 'CPU' : 'GPU')
    const isWanted = (pod: Pod) =>
      (name === undefined || pod.name === name) && (computeType === undefined || kindOf(pod) === computeType)
    return (await pods.list()).filter(isWanted)
  },
  podCreateV1: async ({ body }, { pods }) => await pods.create(body),
  podReadV1: read,
  podUpdateV1: update,
  podDeleteV1: remove,
  podActV1: async ({ path: { id, action } }, { pods }) => await pods.act(id, action === 'reset' ? 'restart' : action),
} as const satisfies Partial<ManagementOperations<Services>>

// Source: the platform.
const USUAL_TAIL = 100

type Wish = Omit<PodLinesWish, 'until'>

async function followPod(c: Context, { pods, stopping }: Services, id: string, wish: Wish): Promise<Response> {
  const since = c.req.header('last-event-id') ?? wish.since
  const lines = await pods.lines(id, { ...wish, since, until: [c.req.raw.signal, stopping] })
  return followAsEvents(c, {
    notifier: lines.notifier,
    stopping,
    read() {
      const { lines: news, end } = lines.read()
      return { items: news.map((line) => ({ id: line.ts, data: JSON.stringify(line) })), more: false, end }
    },
  })
}
