/** Requests to load-balanced endpoints, on Node's own client: every header, trailer and piece is seen as it came. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ServedService, startedService, until } from './served-service.ts'
import { sharedInFile } from './shared-in-file.ts'

// Its first lines say what it answers.
const WEB_WORKER = fileURLToPath(new URL('workers/web.py', import.meta.url))

/** A request. `key` undefined sends the one of the sender, null none. */
export type Sending = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array | Readable
  readonly key?: string | null
  readonly trailers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** An answer that was read to its end. `hints` are the links of a 103 before it. */
export type Received = {
  readonly status: number
  readonly message: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly trailers: NodeJS.Dict<string>
  readonly text: string
  readonly bytes: Buffer
  readonly hints: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly json: () => any
}

/** Where requests go, and with which key. */
export type Target = { readonly url: string; readonly key: string }

/** Creates an endpoint that runs the web worker. */
export async function createWeb(service: ServedService, id = 'web', more: object = {}): Promise<void> {
  await service.createEndpoint(id, { command: `python3 ${WEB_WORKER}`, loadBalanced: {}, workersMax: 1, ...more })
}

/** A service with the endpoint `web`, for the tests of a file. */
export const sharedWeb = () =>
  sharedInFile(async (whenOver) => {
    const service = await startedService({}, whenOver)
    await createWeb(service)
    return service
  })

/** The account's way to a service. */
export function targetOf(service: ServedService): Target {
  return { url: service.url(), key: service.read('data', 'account.key').trim() }
}

/** Sends a request and gives the answer when its head is there. @throws what the connection ended with */
export function open(
  target: Target,
  path: string,
  sending: Sending = {},
): Promise<IncomingMessage & { hints: unknown[] }> {
  const { method = 'GET', headers = {}, body, key = target.key, trailers, signal } = sending
  const hints: unknown[] = []
  return new Promise((resolve, reject) => {
    const asked = request(`${target.url}${path}`, {
      method,
      headers: {
        // Node says no size of a body of DELETE.
        ...(typeof body === 'string' && trailers === undefined ? { 'content-length': Buffer.byteLength(body) } : {}),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      } as Record<string, string>,
      ...(signal === undefined ? {} : { signal }),
    })
    asked.on('information', (info) => hints.push(info.headers.link))
    asked.on('response', (answer) => resolve(Object.assign(answer, { hints })))
    asked.on('error', reject)
    if (trailers !== undefined) asked.addTrailers(trailers)
    if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) body.pipe(asked)
    else asked.end(body)
  })
}

/** Sends a request and reads its answer to the end. */
export async function send(target: Target, path: string, sending?: Sending): Promise<Received> {
  const answer = await open(target, path, sending)
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const text = bytes.toString()
  return {
    status: answer.statusCode ?? 0,
    message: answer.statusMessage ?? '',
    headers: answer.headers,
    rawHeaders: answer.rawHeaders,
    trailers: answer.trailers,
    ...{ text, bytes },
    hints: answer.hints,
    json: () => JSON.parse(text),
  }
}

/** Waits for the log of requests to hold one that fits, and gives it. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function loggedRequest(service: ServedService, id: string, fits: (request: any) => boolean): Promise<any> {
  return until(async () => {
    const { requests } = await service.get(`/api/endpoints/${id}/requests`)
    const found = requests.find(fits)
    if (found === undefined) throw new Error(`no such request among ${JSON.stringify(requests)}`)
    return found
  })
}
