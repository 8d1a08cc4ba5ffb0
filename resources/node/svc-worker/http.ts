import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type Settings, VERSION } from './settings.ts'

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

export type Question = {
  readonly target: string
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export type Ask = (question: Question) => Promise<Answer>

export function createClient(settings: Settings): Ask {
  const agent = new Agent({ keepAlive: true })

  const askOnce = ({ target, body, timeoutMs, signal }: Question) =>
    new Promise<Answer>((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body)
      const asked = request({
        agent,
        host: settings.host,
        port: settings.port,
        path: target,
        method: bytes === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          'user-agent': `svc-worker-node/${VERSION}`,
          ...(settings.apiKey === '' ? {} : { authorization: settings.apiKey }),
          ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
        },
        ...(signal === undefined ? {} : { signal }),
      })
      // A retry depends on whether the connection was a kept one.
      const fail = (error: Error) => reject(Object.assign(error, { onKeptConnection: asked.reusedSocket }))
      asked.setTimeout(timeoutMs, () => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)))
      asked.on('error', fail)
      asked.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', fail)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
          }),
        )
      })
      asked.end(bytes)
    })

  return async (question) => {
    try {
      return await askOnce(question)
    } catch (error) {
      // The service closes idle connections; that shows only here and costs one new connection.
      if (!wasClosedWhileKept(error)) throw error
      return askOnce(question)
    }
  }
}

function wasClosedWhileKept(error: unknown): boolean {
  if (!(error instanceof Error) || !('onKeptConnection' in error) || !('code' in error)) return false
  return error.onKeptConnection === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
