/**
 * The clients that a load comes from. `socket` costs next to nothing: what is left is the server. `fetch` and
 * `node:http` are what people call a service with, and cost more than many a server. `bullmq` and `pg-boss` are other
 * queues, see queue-clients.
 */
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { openConnection, requestBytes } from './connection.ts'

/** How the requests are sent. */
export type ClientKind = 'socket' | 'fetch' | 'node:http' | 'bullmq' | 'pg-boss'

/** A job as all rows submit it, unless its size matters. */
export const JOB_BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'

/** One client with one request at a time. `send` waits for the whole answer; it throws on anything but 200. */
export type Client = { readonly send: () => Promise<void>; readonly close: () => void }

/** A POST of JSON. */
export type Request = {
  readonly port: number
  readonly path: string
  /** Lines without their ends. */
  readonly headers: readonly string[]
  readonly body: string
}

// A server that takes so many requests at once refuses one more, which its clients send again.
const BUSY = 409

type OpenAll = (count: number, request: Request) => Promise<readonly Client[]>

const each =
  (open: (request: Request) => Client | Promise<Client>): OpenAll =>
  (count, request) =>
    Promise.all(Array.from({ length: count }, () => open(request)))

const OPEN: Readonly<Record<ClientKind, OpenAll>> = {
  socket: each(openSocket),
  fetch: each(openFetch),
  'node:http': each(openHttp),
  bullmq: async (count, request) => (await import('./queue-clients.ts')).openBullmq(count, request),
  'pg-boss': async (count, request) => (await import('./queue-clients.ts')).openPgBoss(count, request),
}

/** So many clients, each with a connection of its own, that send one request again and again. */
export function openClients(kind: ClientKind, count: number, request: Request): Promise<readonly Client[]> {
  return OPEN[kind](count, request)
}

async function openSocket({ port, path, headers, body }: Request): Promise<Client> {
  const connection = await openConnection(port)
  const bytes = requestBytes('POST', path, port, headers, body)
  return {
    async send() {
      const { status, body: answer } = await connection.send(bytes)
      if (status !== 200) throw new Error(`answer ${status}: ${answer.toString()}`)
    },
    close: connection.close,
  }
}

// fetch keeps one pool of connections for the whole process; a request that finds all busy opens one more.
function openFetch({ port, path, headers, body }: Request): Client {
  const url = `http://127.0.0.1:${port}${path}`
  const init = { method: 'POST', headers: headerFields(headers), body }
  return {
    async send() {
      const answer = await fetch(url, init)
      if (answer.status !== 200) throw new Error(`answer ${answer.status}: ${await answer.text()}`)
      await answer.json()
    },
    close() {},
  }
}

function openHttp({ port, path, headers, body }: Request): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const length = String(Buffer.byteLength(body))
  const fields = { ...headerFields(headers), 'content-length': length }
  const options = { agent, host: '127.0.0.1', port, path, method: 'POST', headers: fields }
  const post = () =>
    new Promise<'answered' | 'busy'>((resolve, reject) => {
      const sent = httpRequest(options, (answer) => {
        const read = text(answer).then((answerText) => {
          if (answer.statusCode === BUSY) return 'busy'
          if (answer.statusCode !== 200) throw new Error(`answer ${answer.statusCode}: ${answerText}`)
          JSON.parse(answerText)
          return 'answered'
        })
        read.then(resolve, reject)
      })
      sent.once('error', reject)
      sent.end(body)
    })
  return {
    async send() {
      while ((await post()) === 'busy');
    },
    close: () => agent.destroy(),
  }
}

function headerFields(lines: readonly string[]): Record<string, string> {
  const pairs = lines.map((line) => line.split(': ', 2))
  return { ...Object.fromEntries(pairs), 'content-type': 'application/json' }
}
