/** Classes of nodes that follow the servers behind their endpoints. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'

const MINUTE_MS = 60_000
const listOf = (...names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, { input: {}, output: [] }])))

/** A server whose list can be changed, or nobody at all; and a service. */
async function withServer() {
  const asked: string[] = []
  let list: string | undefined = listOf('First')
  let hasLength = true
  let hangs = false
  const server = createServer(({ method, url }, response) => {
    if (url === '/object_info') asked.push(method ?? '')
    if (hangs && method === 'GET') return
    if (list === undefined) return void response.destroy()
    if (hasLength) response.setHeader('content-length', Buffer.byteLength(list))
    else response.flushHeaders()
    response.end(list)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const service = await setup()
  return {
    ...service,
    asked,
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    has: (next: string | undefined) => {
      list = next
    },
    hang: () => {
      hangs = true
    },
    hideLength: () => {
      hasLength = false
    },
    readAt: async () => (await service.get('/api/endpoints/e')).nodeTypesReadAt as number | undefined,
    classes: async () => {
      const { source, text } = await service.get('/api/node-types?endpoint=e')
      return source === 'built-in' ? source : Object.keys(JSON.parse(text))
    },
  }
}

it('are read as soon as an endpoint gets a server, and those of the one before hold no longer', async () => {
  const { clock, createEndpoint, ask, server, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: {} })
  expect(await readAt()).toBeUndefined()
  await ask('PATCH', '/api/endpoints/e', { body: { workflows: { server } } })
  await clock.until(async () => (await readAt()) !== undefined)
  expect(await classes()).toEqual(['First'])
  expect(asked).toEqual(['GET', 'HEAD'])
  await ask('PATCH', '/api/endpoints/e', { body: { workflows: { server: 'http://127.0.0.1:1' } } })
  expect(await readAt()).toBeUndefined()
})

it('are read within a minute of the start of a server that was not there', async () => {
  const { clock, createEndpoint, server, has, readAt, log } = await withServer()
  has(undefined)
  await createEndpoint('e', { workflows: { server } })
  await clock.until(() => log.some(({ message }) => message === 'classes of nodes not read'))
  await clock.advance(MINUTE_MS)
  expect(await readAt()).toBeUndefined()
  has(listOf('First'))
  await clock.advance(MINUTE_MS)
  await clock.until(async () => (await readAt()) !== undefined)
  expect(log.filter(({ message }) => message === 'classes of nodes not read')).toHaveLength(1)
})

it('are read again where the server has others, which is looked at every 10 s at most', async () => {
  const { clock, createEndpoint, server, has, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  asked.length = 0
  expect(await classes()).toEqual(['First'])
  has(listOf('First', 'Second'))
  expect(await classes()).toEqual(['First'])
  expect(asked).toEqual(['HEAD'])
  await clock.advance(10_000)
  expect(await classes()).toEqual(['First', 'Second'])
  expect(asked).toEqual(['HEAD', 'HEAD', 'GET'])
})

it('are compared in whole after five minutes, as another list may be as long, which nobody waits for', async () => {
  const { clock, createEndpoint, server, has, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  has(listOf('Other'))
  asked.length = 0
  await clock.advance(4 * MINUTE_MS)
  expect(await classes()).toEqual(['First'])
  expect(asked).toEqual(['HEAD'])
  await clock.advance(MINUTE_MS)
  expect(await classes()).toEqual(['First'])
  await clock.until(async () => (await classes())[0] === 'Other')
  expect(asked).toEqual(['HEAD', 'HEAD', 'GET'])
})

it('are compared after five minutes where the server says no length', async () => {
  const { clock, createEndpoint, server, has, hideLength, readAt, classes } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  hideLength()
  has(listOf('First', 'Second'))
  await clock.advance(5 * MINUTE_MS)
  await clock.until(async () => (await classes()).length === 2)
})

it('that are the same change nothing but when they were read', async () => {
  const { clock, createEndpoint, get, server, readAt, classes } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  const before = await clock.until(async () => (await readAt()) ?? false)
  const { updatedAt } = await get('/api/endpoints/e')
  await clock.advance(5 * MINUTE_MS)
  await classes()
  await clock.until(async () => (await readAt()) !== before)
  expect((await get('/api/endpoints/e')).updatedAt).toBe(updatedAt)
  expect(await classes()).toEqual(['First'])
})

it('are read again from a server that was away, which may have been started with others', async () => {
  const { clock, createEndpoint, server, has, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  has(undefined)
  expect(await classes()).toEqual(['First'])
  has(listOf('Other'))
  await clock.advance(10_000)
  asked.length = 0
  expect(await classes()).toEqual(['Other'])
  expect(asked).toEqual(['HEAD', 'GET'])
})

it('are looked at when a graph is run, which does not wait for it', async () => {
  const { clock, createEndpoint, post, server, has, readAt } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  const before = await clock.until(async () => (await readAt()) ?? false)
  has(listOf('First', 'Second'))
  await clock.advance(10_000)
  await post('/api/workflow-runs', { endpointId: 'e', payload: '{"1": {"class_type": "First", "inputs": {}}}' })
  await clock.until(async () => (await readAt()) !== before)
})

it('stay as they are where the server says no length, is away, or where somebody gave them in a file', async () => {
  const { clock, createEndpoint, ask, server, has, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  has(undefined)
  expect(await classes()).toEqual(['First'])
  await ask('PUT', '/api/node-types/e', { body: { text: listOf('Mine') } })
  has(listOf('First', 'Second'))
  await clock.advance(10_000)
  asked.length = 0
  expect(await classes()).toEqual(['Mine'])
  expect(asked).not.toContain('GET')
})

it('that a server does not send are waited for 3 s, then those that are known are shown', async () => {
  const { clock, createEndpoint, server, has, hang, readAt, classes, asked } = await withServer()
  await createEndpoint('e', { workflows: { server } })
  await clock.until(async () => (await readAt()) !== undefined)
  has(listOf('First', 'Second'))
  hang()
  await clock.advance(10_000)
  asked.length = 0
  const shown = classes()
  await clock.until(() => asked.includes('GET'))
  await clock.advance(3000)
  expect(await shown).toEqual(['First'])
  expect(await classes()).toEqual(['First'])
})

it('that are too large are refused with the reason, and read again after growing pauses or a restart', async () => {
  const { clock, createEndpoint, get, server, has, classes, readAt, asked } = await withServer()
  has(listOf('x'.repeat(33 * 1024 * 1024)))
  await createEndpoint('e', { workflows: { server } })
  const fault = async () => (await get('/api/node-types?endpoint=e')).fault
  await clock.until(async () => (await fault()) !== undefined)
  expect(await fault()).toBe('its list of node classes has 33 MiB; the limit is 32 MiB')
  const reads = () => asked.filter((method) => method === 'GET').length
  for (const span of [1, 3, 6]) {
    for (let step = 0; step < 6; step++) {
      await clock.advance((span * MINUTE_MS) / 6)
      await classes()
    }
  }
  await clock.until(() => reads() === 4)
  has(undefined)
  await clock.advance(10_000)
  await classes()
  has(listOf('First'))
  await clock.advance(10_000)
  await classes()
  await clock.until(async () => (await readAt()) !== undefined)
  expect(reads()).toBe(5)
  expect(await fault()).toBeUndefined()
})
