/** Blueprints of the ComfyUI server behind an endpoint: docs/spec/comfyui.md, 5. */
import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { BLUEPRINT } from '../support/blueprint.ts'
import { setup } from '../support/core.ts'
import { openWorker } from '../support/proxied.ts'

async function withServer(answer: RequestListener) {
  const port = await openWorker(answer)
  const service = await setup()
  await service.createEndpoint('e', { workflows: { server: `http://me:hidden@127.0.0.1:${port}/base` } })
  return service
}

const LIST = {
  one: { source: 'custom_node', name: 'Plain picture', info: { node_pack: '/comfy/custom_nodes/a-pack' } },
  'two/2': { source: 'templates', name: 'Another' },
  three: { info: {} },
}

it('are listed, and read one by one', async () => {
  const asked: (string | undefined)[] = []
  const { get, ask } = await withServer(({ url }, response) => {
    if (url?.includes('global_subgraphs') === true) asked.push(url)
    if (url === '/base/global_subgraphs') response.end(JSON.stringify(LIST))
    else if (url === '/base/global_subgraphs/two%2F2')
      response.end(JSON.stringify({ ...LIST['two/2'], data: JSON.stringify(BLUEPRINT) }))
    else response.end('null')
  })
  expect(await get('/api/blueprints/e')).toEqual({
    blueprints: [
      { id: 'one', name: 'Plain picture', package: 'a-pack' },
      { id: 'two/2', name: 'Another' },
    ],
  })
  expect(JSON.parse((await get('/api/blueprints/e/two%2F2')).text)).toEqual(BLUEPRINT)
  expect(await ask('GET', '/api/blueprints/e/gone')).toMatchObject({
    status: 404,
    body: { code: 'BLUEPRINT_NOT_FOUND' },
  })
  expect(asked).toEqual(['/base/global_subgraphs', '/base/global_subgraphs/two%2F2', '/base/global_subgraphs/gone'])
})

it('are an empty list without a server, or if the server does not support them', async () => {
  const { get, createEndpoint } = await withServer((_request, response) => response.writeHead(404).end('404'))
  await createEndpoint('alone', { workflows: {} })
  for (const id of ['e', 'alone']) expect(await get(`/api/blueprints/${id}`)).toEqual({ blueprints: [] })
})

it('of a server that fails, or sends too much, give the reason and no password', async () => {
  const broken: RequestListener = (_request, response) => response.writeHead(500).end('broken')
  const tooLarge: RequestListener = (_request, response) => response.end('x'.repeat(5 * 1024 * 1024))
  const answers = [broken, tooLarge, broken]
  const { get, ask } = await withServer((request, response) => {
    if (request.url?.startsWith('/base/global_subgraphs') === true) answers.shift()?.(request, response)
    else response.end()
  })
  for (const why of ['it answered with 500, and began with: broken', 'its answer has 5.0 MiB; the limit is 4.0 MiB'])
    expect(await get('/api/blueprints/e')).toEqual({ blueprints: [], fault: expect.stringContaining(why) })
  const { status, body } = await ask('GET', '/api/blueprints/e/one')
  expect([status, body.code]).toEqual([502, 'SERVER_UNREACHABLE'])
  expect(body.error).toContain('it answered with 500')
  expect(body.error).not.toContain('hidden')
})
