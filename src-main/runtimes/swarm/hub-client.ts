/**
 * Local socket to the hub on a swarm's manager, which connects to node agents. Protocol:
 * resources/python/svc_relay/_hub.py.
 */
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { cutLines } from '../../lib/text.ts'
import { ConnectionBroken, type Failure, Refused } from '../remote/conversation.ts'

type Wish =
  | { readonly to: string }
  | { readonly listen: string }
  | ({ readonly copy: string } & Way)
  | ({ readonly tree: string; readonly container: string } & Way)

type Way = { readonly from: string; readonly to: string }

export type HubClient = ReturnType<typeof createHubClient>

const WELL = 'ok'
// Response limit, ms; source: ours, longer than a node may take.
const ANSWER_MS = 12_000

export function createHubClient(socket: () => Promise<string>) {
  async function open(wish: Wish, limitMs: number | undefined): Promise<Socket> {
    const stream = connect(await socket())
    stream.write(`${JSON.stringify(wish)}\n`)
    const said = await firstLine(stream, limitMs)
    if (said === WELL) return stream
    stream.destroy()
    throw new Error(said === '' ? 'the hub of the swarm does not answer' : said)
  }

  /**
   * @param wish.container the store's container, on both nodes
   * @param onProgress receives sent and total bytes
   * @throws Refused, ConnectionBroken
   */
  async function copyTree(
    wish: { readonly tree: string; readonly container: string } & Way,
    onProgress: (sent: number, of: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const stream = connect(await socket()).setEncoding('utf8')
    const abort = () => void stream.destroy(signal.reason)
    signal.addEventListener('abort', abort)
    const cutter = cutLines()
    let said = ''
    try {
      stream.write(`${JSON.stringify(wish)}\n`)
      for await (const text of stream) {
        const lines = cutter.take(text)
        for (const line of lines) onLine(line)
        said = lines.findLast((line) => !line.startsWith('{')) ?? said
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof Refused ? error : new ConnectionBroken((error as Error).message)
    } finally {
      signal.removeEventListener('abort', abort)
      stream.destroy()
    }
    if (said !== WELL) throw new ConnectionBroken(said === '' ? 'the hub of the swarm does not answer' : said)

    function onLine(line: string): void {
      if (!line.startsWith('{')) return
      const told: Partial<Failure> & { readonly sent?: number; readonly of?: number } = JSON.parse(line)
      if (told.failed !== undefined) throw new Refused({ ...told, failed: told.failed })
      if (told.sent !== undefined && told.of !== undefined) onProgress(told.sent, told.of)
    }
  }

  async function ask(wish: Wish, limitMs?: number): Promise<void> {
    const stream = await open(wish, limitMs)
    stream.destroy()
  }

  class NodeAgent extends Agent {
    readonly #address: () => string | undefined
    constructor(address: () => string | undefined) {
      super({ keepAlive: true })
      this.#address = address
    }
    override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
      const to = this.#address()
      const opened = to === undefined ? Promise.reject(new Error('it has no agent')) : open({ to }, ANSWER_MS)
      opened.then(
        (stream) => callback?.(null, stream),
        (error: Error) => callback?.(error, undefined as unknown as Duplex),
      )
      return undefined
    }
  }

  return {
    agentTo: (address: () => string | undefined): Agent => new NodeAgent(address),
    async listen(host: string, port: number) {
      const name = `to-${host}-${port}.sock`
      await ask({ listen: name }, ANSWER_MS)
      return name
    },
    copy: (image: string, { from, to }: Way) => ask({ copy: image, from, to }),
    copyTree,
  }
}

function firstLine(stream: Socket, limitMs: number | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let read = Buffer.alloc(0)
  const onBytes = (bytes: Buffer) => {
    read = Buffer.concat([read, bytes])
    const end = read.indexOf('\n')
    if (end < 0) return
    // Keeps flowing: engines speak only when asked, and clients do not resume paused streams.
    stream.off('data', onBytes)
    resolve(read.toString('utf8', 0, end))
  }
  const onEnd = () => resolve('')
  stream.on('data', onBytes).on('error', reject).on('close', onEnd)
  if (limitMs !== undefined) stream.setTimeout(limitMs, () => reject(new Error('the hub of the swarm does not answer')))
  return promise.finally(() => {
    stream.setTimeout(0)
    stream.off('data', onBytes).off('error', reject).off('close', onEnd)
    stream.on('error', () => undefined)
  })
}
