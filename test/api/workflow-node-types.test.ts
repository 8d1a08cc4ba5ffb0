import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MIB } from '../../src-main/lib/units.ts'
import { setup, type TestService } from '../support/core.ts'

const ONE_CLASS = `{"Seeds": {"input": {"required": {"seed": ["INT", {"max": 18446744073709551615}]}}, "output": []}}`

/** A server behind an endpoint. @returns its address */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function withServer(answer: RequestListener): Promise<TestService & { readonly server: string }> {
  const service = await setup()
  const server = await serve(answer)
  await service.createEndpoint('e', { workflows: { server } })
  return { ...service, server }
}

describe('the classes of nodes', () => {
  it('come along, for whom nothing else is known', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const all = await service.get('/api/node-types')
    expect(all).toMatchObject({ source: 'built-in', version: expect.stringMatching(/^ComfyUI \d+\.\d+\.\d+$/) })
    expect(Object.keys(JSON.parse(all.text))).toContain('KSampler')
    expect(await service.get('/api/node-types?endpoint=e')).toEqual(all)
    expect((await service.ask('GET', '/api/node-types?endpoint=nope')).body.code).toBe('ENDPOINT_NOT_FOUND')
  })

  it('of a worker that comes along are those that it runs', async () => {
    const service = await setup()
    const handler = join(import.meta.dirname, '..', '..', 'resources', 'node', 'sketch', 'handler.ts')
    await service.createEndpoint('sketch', { handler, workflows: {} })
    const own = JSON.parse((await service.get('/api/node-types?endpoint=sketch')).text)
    const classes = Object.keys(own)
    expect(classes).toEqual(expect.arrayContaining(['KSampler', 'SaveImage']))
    const all = Object.keys(JSON.parse((await service.get('/api/node-types')).text))
    expect(classes.length).toBeLessThan(all.length / 2)
    // It names a model for each loader, and takes any other name.
    const [names, options] = own.CheckpointLoaderSimple.input.required.ckpt_name
    expect({ first: names[0], options }).toEqual({ first: 'stand-in.safetensors', options: { 'drydock.open': true } })
  })

  it('are taken from a file, with every number as it was, and outlive the service', async () => {
    const service = await setup()
    await service.createEndpoint('e')
    const { status, body } = await service.ask('PUT', '/api/node-types/e', { body: { text: ONE_CLASS } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { text: ONE_CLASS, source: 'file', readAt: expect.any(Number) },
    })
    expect(await service.get('/api/node-types?endpoint=e')).toEqual(body)
    // An endpoint whose classes are known takes graphs from then on.
    expect((await service.get('/api/endpoints/e')).workflows).toEqual({ checkModels: true, modelFolders: true })
  })

  it.each([
    ['half a file', ONE_CLASS.slice(0, 20), /is not valid JSON.*begins with: {"Seeds"/],
    ['a workflow', '{"nodes": [], "links": []}', /has no node classes/],
  ])('%s is refused', async (_what, text, message) => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { body } = await service.ask('PUT', '/api/node-types/e', { body: { text } })
    expect(body).toMatchObject({ code: 'BAD_FIELD', error: expect.stringMatching(message) })
  })

  it('are read from the server behind an endpoint, with the time', async () => {
    const asked: (string | undefined)[] = []
    const service = await withServer((request, response) => {
      asked.push(request.url)
      response.end(ONE_CLASS)
    })
    await service.clock.until(async () => (await service.get('/api/endpoints/e')).nodeTypesReadAt !== undefined)
    asked.length = 0
    const read = await service.post('/api/node-types/e/fetch')
    expect(read).toEqual({ text: ONE_CLASS, source: 'server', server: service.server, readAt: service.clock.wall() })
    expect(asked).toEqual(['/object_info', '/system_stats'])
    expect(await service.get('/api/node-types?endpoint=e')).toEqual(read)
  })

  it('tell of which version their server is', async () => {
    const service = await withServer((request, response) => {
      const stats = { system: { comfyui_version: '0.33.0', python_version: '3' }, devices: [] }
      response.end(request.url === '/system_stats' ? JSON.stringify(stats) : ONE_CLASS)
    })
    const read = await service.post('/api/node-types/e/fetch')
    expect(read).toMatchObject({ source: 'server', version: 'ComfyUI 0.33.0' })
    expect(await service.get('/api/node-types?endpoint=e')).toEqual(read)
  })

  it('are taken from a file that says of which version they are', async () => {
    const service = await setup()
    await service.createEndpoint('e')
    const text = `{"version": "ComfyUI 0.33.0", "types": ${ONE_CLASS}}`
    const { body } = await service.ask('PUT', '/api/node-types/e', { body: { text } })
    expect(body).toMatchObject({ source: 'file', version: 'ComfyUI 0.33.0', text: ONE_CLASS.replaceAll(' ', '') })
    expect(await service.get('/api/node-types?endpoint=e')).toEqual(body)
  })

  it('of a server with a password are asked for with it, and nobody is told it', async () => {
    const asked = new Set<string | undefined>()
    const service = await setup()
    let isLocked = true
    const server = await serve(({ headers }, response) => {
      asked.add(headers.authorization)
      if (isLocked) response.writeHead(401).end('no')
      else response.end(ONE_CLASS)
    })
    const address = server.replace('//', '//ann:p%40ss-word@')
    await service.createEndpoint('e', { workflows: { server: address } })
    const refused = await service.ask('POST', '/api/node-types/e/fetch')
    expect(refused.body.error).toMatch(/needs a user name and a password/)
    isLocked = false
    expect(await service.post('/api/node-types/e/fetch')).toMatchObject({ source: 'server', server })
    expect([...asked]).toEqual([`Basic ${Buffer.from('ann:p@ss-word').toString('base64')}`])
    const kept = await service.get('/api/node-types?endpoint=e')
    expect(JSON.stringify([refused.body, kept, service.log])).not.toMatch(/ss-word/)
  })

  it.each<[string, RequestListener, RegExp]>([
    ['answers HTML', (_request, response) => response.end('<html>Sign in</html>'), /is not valid JSON.*<html>Sign in/],
    ['refuses', (_request, response) => response.writeHead(403).end('no'), /answered with 403, and began with: no/],
    [
      'leads elsewhere',
      (_request, response) => response.writeHead(302, { location: 'http://x.example/' }).end(),
      /302/,
    ],
    ['breaks off', (_request, response) => response.destroy(), /could not be read from http:\/\/127\.0\.0\.1:\d+: \S+/],
  ])('of a server that %s are not taken, and it says why', async (_what, answer, message) => {
    const service = await withServer(answer)
    const { status, body } = await service.ask('POST', '/api/node-types/e/fetch')
    expect({ status, code: body.code }).toEqual({ status: 502, code: 'NODE_TYPES_UNREADABLE' })
    expect(body.error).toMatch(message)
    expect((await service.get('/api/node-types?endpoint=e')).source).toBe('built-in')
  })

  it('of a server that sends 100 MiB without a length are refused while they arrive', async () => {
    let sent = 0
    const isClosed = Promise.withResolvers<void>()
    const piece = Buffer.alloc(MIB, ' ')
    const service = await withServer((request, response) => {
      if (request.method !== 'GET') return void response.end()
      const write = () => {
        while (!response.destroyed && sent < 100 && response.write(piece)) sent += 1
        if (sent >= 100) response.end()
      }
      response.on('drain', write).on('close', isClosed.resolve)
      write()
    })
    const { body } = await service.ask('POST', '/api/node-types/e/fetch')
    expect(body.error).toContain('its list of node classes is larger than the limit of 32 MiB.')
    await isClosed.promise
    expect(sent).toBeLessThan(60)
  })
})
