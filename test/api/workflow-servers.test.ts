import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WORKFLOW_ROUTES } from '../../src-main/contract/workflow-routes.ts'
import { probeServer } from '../../src-main/features/workflows/adapters/comfy-server.ts'
import type { ProbeServer } from '../../src-main/features/workflows/ports.ts'
import { findServers } from '../../src-main/features/workflows/workflows.ts'
import { setup } from '../support/core.ts'

// As ComfyUI 0.3.64 answers, with a graphics card.
const STATS = {
  system: {
    os: 'posix',
    ram_total: 67_000_000_000,
    comfyui_version: '0.3.64',
    python_version: '3.12.3',
    argv: ['main.py'],
  },
  devices: [{ name: 'cuda:0 NVIDIA RTX', type: 'cuda', index: 0, vram_total: 25_000_000_000, vram_free: 1 }],
}
const NEVER = new AbortController().signal
// The product waits for a second, which a busy machine may need to answer at all; in ms.
const PATIENCE_MS = 20_000

const lookPatiently: ProbeServer = (address, signal) => probeServer(address, signal, PATIENCE_MS)

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the ComfyUI servers of this machine', () => {
  it('are those that answer as one, with version and devices, and nothing else is asked', async () => {
    const asked: (string | undefined)[] = []
    const address = await serve(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.end(JSON.stringify(STATS))
    })
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    const { comfyui_version: _version, ...old } = STATS.system
    const before = await serve((_request, response) => response.end(JSON.stringify({ system: old, devices: [] })))
    closed.close() // last, as a port that is free again may be the next that is given
    await once(closed, 'close')

    expect(await findServers(lookPatiently, [nobody, address, before], NEVER)).toEqual([
      {
        address,
        version: '0.3.64',
        devices: [{ name: 'cuda:0 NVIDIA RTX', type: 'cuda', memoryBytes: 25_000_000_000 }],
      },
      { address: before, devices: [] },
    ])
    expect(asked).toEqual(['GET /system_stats'])
  })

  it.each<[string, RequestListener]>([
    ['HTML', (_request, response) => response.end('<html>Sign in</html>')],
    ['JSON of something else', (_request, response) => response.end('{"ok": true}')],
    ['401', (_request, response) => response.writeHead(401).end(JSON.stringify(STATS))],
    [
      'a redirect to one',
      ({ url }, response) => {
        if (url === '/one') response.end(JSON.stringify(STATS))
        else response.writeHead(302, { location: '/one' }).end()
      },
    ],
    ['half an answer', (_request, response) => void response.write('{"system"', () => response.destroy())],
  ])('are not who answers with %s', async (_what, answer) => {
    expect(await probeServer(await serve(answer), NEVER)).toBeUndefined()
  })

  it('are not waited for: one that hangs is given up, with its connection', async () => {
    const closed = Promise.withResolvers<void>()
    let asked = false
    const address = await serve((request) => {
      asked = true
      request.on('close', closed.resolve)
    })
    // A busy machine may need longer than the limit to send the request at all.
    for (let limitMs = 20; !asked; limitMs *= 2) expect(await probeServer(address, NEVER, limitMs)).toBeUndefined()
    await closed.promise
  })

  it('are not read without end: an answer of 200 MB is broken off early', async () => {
    const closed = Promise.withResolvers<void>()
    let sent = 0
    const address = await serve((_request, response) => {
      response.on('close', closed.resolve)
      const send = () => {
        while (sent < 200e6 && !response.destroyed) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, ' '))) return void response.once('drain', send)
        }
      }
      send()
    })
    expect(await lookPatiently(address, NEVER)).toBeUndefined()
    await closed.promise
    expect(sent).toBeLessThan(50e6)
  })

  it('are listed by a route, whoever answers on the machine of this test', async () => {
    const service = await setup()
    const { servers } = WORKFLOW_ROUTES.workflowServers.response.parse(await service.get('/api/workflow-servers'))
    expect(servers.length).toBeLessThanOrEqual(2)
    expect((await service.ask('GET', '/api/workflow-servers', { key: null })).status).toBe(401)
  })
})
