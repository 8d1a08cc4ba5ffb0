/**
 * Serves ComfyUI's page for an endpoint, on loopback. This server adds the key to requests that it forwards to the
 * endpoint's own host, so that the browser never gets the key and the page reaches nothing else of the service.
 */
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pageFileType } from '../../../lib/page-files.ts'
import { percentDecoded } from '../../../lib/percent-encoding.ts'
import { forwardedHeaders } from '../rules/page-access.ts'
import { type EndpointOfPage, requestTo } from './endpoint-request.ts'
import { createPageAccess, type IsSameUser } from './page-access.ts'

export type PageOptions = EndpointOfPage & {
  /** Undefined: the page of the server behind the endpoint. */
  readonly folder: string | undefined
  readonly isSameUser: IsSameUser
}

/** @returns a stream handler; `linkAt` gives a link that works once, within a minute */
export function createPage({ folder, isSameUser, ...behind }: PageOptions) {
  const access = createPageAccess(isSameUser)

  const forward = ({ method, url, headers }: IncomingMessage, more: Readonly<Record<string, string>> = {}) =>
    requestTo(behind, { method, path: url, headers: { ...forwardedHeaders(headers), ...more } })

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = await access.answer(incoming)
    if (refused !== undefined) return void response.writeHead(refused.status, refused.headers).end(refused.text)
    const file = folder === undefined || incoming.method !== 'GET' ? undefined : await findFile(folder, incoming)
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes, 'cache-control': 'no-cache' })
      return pipeline(createReadStream(file.path), response)
    }
    const forwarded = forward(incoming).on('error', () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    forwarded.on('response', (answer) => {
      answer.on('error', () => response.destroy())
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    })
    response.once('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }

  function respondToUpgrade(incoming: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy())
    if (!access.isAdmitted(incoming)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const forwarded = forward(incoming, { connection: 'Upgrade', upgrade: 'websocket' })
    forwarded.on('error', () => socket.destroy()).on('response', () => socket.destroy())
    forwarded.on('upgrade', ({ rawHeaders }, endpoint, first) => {
      const lines = rawHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('')
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`, 'latin1')
      endpoint.unshift(first)
      endpoint.on('error', () => socket.destroy()).once('close', () => socket.destroy())
      socket.once('close', () => endpoint.destroy())
      endpoint.pipe(socket).pipe(endpoint)
    })
    forwarded.end()
  }

  return {
    isFor: () => true,
    request(incoming: IncomingMessage, response: ServerResponse) {
      if (incoming.headers.expect !== undefined) response.writeContinue()
      respond(incoming, response).catch(() => response.destroy())
    },
    upgrade: respondToUpgrade,
    linkAt: access.linkAt,
  }
}

async function findFile(folder: string, { url = '/' }: IncomingMessage) {
  const { pathname } = new URL(url, 'http://page')
  const path = join(folder, normalize(`/${percentDecoded(pathname)}${pathname.endsWith('/') ? 'index.html' : ''}`))
  const found: Stats | undefined = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) return undefined
  return { path, bytes: found.size, type: pageFileType(path) }
}
