/**
 * Load from a process of its own: so many connections send the same request again and again. Says how many answers
 * came a second, and how busy it was itself, so that a reader sees that it was not the bottleneck.
 */
import { openConnection, requestBytes } from '../support/connection.ts'

/** What to send. */
export type LoadOrder = {
  readonly port: number
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string
  readonly connections: number
  readonly ms: number
}

/** What came back. `busy` is the share of one core that this process used. */
export type LoadResult = { readonly perSecond: number; readonly busy: number }

async function load({ port, path, headers, body, connections, ms }: LoadOrder): Promise<LoadResult> {
  const request = requestBytes('POST', path, port, headers, body)
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const end = start + ms
  const counts = await Promise.all(
    open.map(async (connection) => {
      let answers = 0
      while (performance.now() < end) {
        const { status, body: answer } = await connection.send(request)
        if (status !== 200) throw new Error(`answer ${status}: ${answer.toString()}`)
        answers += 1
      }
      return answers
    }),
  )
  const took = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const connection of open) connection.close()
  const sum = counts.reduce((total, count) => total + count, 0)
  return { perSecond: (sum * 1000) / took, busy: (user + system) / 1000 / took }
}

process.on('message', (order: LoadOrder) => void load(order).then((result) => process.send?.(result)))
process.send?.('ready')
