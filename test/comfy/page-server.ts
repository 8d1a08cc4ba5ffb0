/**
 * A server for the public editor's own page, as far as the page needs one to open documents and to make payloads: its
 * files, the classes of nodes, and empty answers for everything else. No graph runs here.
 */
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
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
export async function servePage({ folder, classes }: PageFiles): Promise<PageServer> {
  const info = objectInfo(classes)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    if (!pathname.startsWith('/api/'))
      return sendFile(response, join(folder, pathname === '/' ? 'index.html' : pathname))
    const path = pathname.slice('/api'.length)
    if (path.startsWith('/userdata/')) return void response.writeHead(404).end()
    sendJson(response, path === '/object_info' ? info : JSON.stringify(ANSWERS[path] ?? {}))
  })
  server.on('upgrade', (request, stream) => acceptSocket(request, stream).send(STATUS))
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
