/**
 * Load from a process of its own: so many connections send the same request again and again. Says how many answers
 * came a second, how long each took, and how busy it was itself, so that a reader sees whether it was the bottleneck.
 */
import { type ClientKind, openClients } from '../support/clients.ts'

export type LoadOrder = {
  readonly client: ClientKind
  readonly port: number
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string
  readonly connections: number
  readonly ms: number
}

/** `busy` is the share of one core that this process used, `samples` are ms. */
export type LoadResult = { readonly perSecond: number; readonly busy: number; readonly samples: readonly number[] }

async function load({ client, connections, ms, ...request }: LoadOrder): Promise<LoadResult> {
  const clients = await openClients(client, connections, request)
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const samples: number[] = []
  await Promise.all(
    clients.map(async ({ send }) => {
      for (let sentAt = start; sentAt < start + ms; ) {
        await send()
        const answeredAt = performance.now()
        samples.push(answeredAt - sentAt)
        sentAt = answeredAt
      }
    }),
  )
  const took = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const { close } of clients) close()
  return { perSecond: (samples.length * 1000) / took, busy: (user + system) / 1000 / took, samples }
}

process.on('message', (order: LoadOrder) => void load(order).then((result) => process.send?.(result)))
process.send?.('ready')
