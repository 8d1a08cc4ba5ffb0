/**
 * A server for the public editor's own page. On its own, it gives the page enough to open documents and make payloads:
 * node classes, and empty answers to everything else. Or it forwards requests to another server.
 */
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request as openRequest, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { acceptSocket } from '../support/comfyui/accept-socket.ts'

/** `classes`: the text of a file of classes, with its version. */
export type PageFiles = { readonly folder: string; readonly classes: string }

/** A running server. */
export type PageServer = { readonly url: string; readonly stop: () => Promise<void> }

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

// Empty answers for the page; to any other request the answer is an empty object.
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/users': { storage: 'server', migrated: true },
  '/settings': { 'Comfy.TutorialCompleted': true, 'Comfy.Workflow.Persist': false, 'Comfy.InstalledVersion': '1.0.0' },
  '/system_stats': {
    system: { os: 'posix', comfyui_version: '0.0.0', python_version: '3', pytorch_version: '2', argv: [] },
    devices: [],
  },
  '/extensions': [],
  '/embeddings': [],
  '/userdata': [],
  '/experiment/models': [],
  '/history': { History: [] },
  '/queue': { queue_running: [], queue_pending: [] },
  '/jobs': { jobs: [], pagination: { offset: 0, limit: 0, total: 0, has_more: false } },
}
const STATUS = JSON.stringify({ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'page' } })

/** Starts the server. */
export function servePage({ folder, classes }: PageFiles): Promise<PageServer> {
  const info = objectInfo(classes)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    if (!pathname.startsWith('/api/')) return sendFile(response, fileOf(folder, pathname))
    const path = pathname.slice('/api'.length)
    if (path.startsWith('/userdata/')) return void response.writeHead(404).end()
    sendJson(response, path === '/object_info' ? info : JSON.stringify(ANSWERS[path] ?? {}))
  })
  server.on('upgrade', (request, stream) => acceptSocket(request, stream).send(STATUS))
  return listen(server)
}

/**
 * Serves the page in front of another server, which answers all other requests.
 * @param behind its address; it may change when the server starts again
 */
export function servePageOf(folder: string, behind: () => string): Promise<PageServer> {
  const open = ({ url = '', method, headers }: IncomingMessage) => {
    const own = Object.entries(headers).filter(([name]) => !/^(?:host|origin|referer|sec-fetch-.*)$/.test(name))
    return openRequest(behind() + url, { method, headers: Object.fromEntries(own) })
  }
  const server = createServer((request, response) => {
    const file = fileOf(folder, new URL(request.url ?? '/', 'http://page').pathname)
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return sendFile(response, file)
    const passed = open(request).on('error', () => response.destroy())
    passed.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)))
    request.pipe(passed)
  })
  server.on('upgrade', (request, socket) => {
    const passed = open(request).on('error', () => socket.destroy())
    passed.on('response', () => socket.destroy())
    passed.on('upgrade', ({ rawHeaders }, far, first) => {
      const lines = rawHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('')
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`)
      far.unshift(first)
      far.pipe(socket).on('error', () => far.destroy())
      socket.pipe(far).on('error', () => socket.destroy())
    })
    passed.end()
  })
  return listen(server)
}

const fileOf = (folder: string, pathname: string) => join(folder, pathname === '/' ? 'index.html' : pathname)

async function listen(server: Server): Promise<PageServer> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

// The page asks for more of each class than a file of facts has, and takes no input within another one without options.
function objectInfo(classes: string): string {
  const { types } = JSON.parse(classes, (key, value) =>
    (key === 'required' || key === 'optional') && !Array.isArray(value) ? withOptions(value) : value,
  ) as { readonly types: Readonly<Record<string, object>> }
  const named = Object.entries(types).map(([name, type]) => [
    name,
    { python_module: 'nodes', description: '', ...type },
  ])
  return JSON.stringify(Object.fromEntries(named))
}

function withOptions(inputs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const named = Object.entries(inputs).map(([name, input]) => [
    name,
    Array.isArray(input) && input.length === 1 ? [...input, {}] : input,
  ])
  return Object.fromEntries(named)
}

function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

function sendFile(response: ServerResponse, path: string): void {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file?.isFile() !== true) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': MEDIA_TYPES[extname(path)] ?? 'application/octet-stream' })
  createReadStream(path).pipe(response)
}
