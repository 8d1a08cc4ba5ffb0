import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup as setupService } from '../support/core.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'
import { setupReleases } from '../support/release-service.ts'

const PATH = '/api/endpoints/e/saved-requests'
const request = { operation: 'runsync', body: '{"input":{"a":"\\n"}}' }

async function setup() {
  const service = await setupService()
  await service.createEndpoint()
  const save = (name: string, more: object = {}) => service.post(PATH, { name, request: { ...request, ...more } })
  const names = async () => (await service.get(PATH)).requests.map((one: { name: string }) => one.name)
  return { ...service, save, names }
}

describe('saved requests', () => {
  it('are kept as they were written, listed by name, changed and deleted', async () => {
    const { ask, get, save, names } = await setup()
    const saved = await save('warm up')
    expect(saved).toEqual({ id: saved.id, name: 'warm up', request, updatedAt: TEST_EPOCH })
    await save('a picture', { operation: 'request', method: 'PUT', path: '/x?y=1', headers: 'A: b', bodyKind: 'text' })
    expect(await names()).toEqual(['a picture', 'warm up'])
    expect(await ask('PATCH', `${PATH}/${saved.id}`, { body: { name: 'cold' } })).toMatchObject({ status: 200 })
    const body = { request: { operation: 'run', body: 'not yet JSON' } }
    expect((await ask('PATCH', `${PATH}/${saved.id}`, { body })).body).toMatchObject({ name: 'cold', ...body })
    expect((await get(PATH)).requests[1]).toMatchObject({ name: 'cold', ...body })
    expect((await ask('DELETE', `${PATH}/${saved.id}`)).body).toEqual({ ok: true })
    expect(await names()).toEqual(['a picture'])
  })

  it('have unique names within an endpoint', async () => {
    const { ask, save, createEndpoint, post } = await setup()
    await save('one')
    const two = await save('two')
    expect(await ask('POST', PATH, { body: { name: ' one ', request } })).toMatchObject({ status: 409 })
    expect(await ask('PATCH', `${PATH}/${two.id}`, { body: { name: 'one' } })).toMatchObject({ status: 409 })
    expect(await ask('PATCH', `${PATH}/${two.id}`, { body: { name: 'two' } })).toMatchObject({ status: 200 })
    await createEndpoint('other')
    await post('/api/endpoints/other/saved-requests', { name: 'one', request })
  })

  it('belong to one endpoint and are deleted with it', async () => {
    const { ask, get, save, createEndpoint } = await setup()
    const { id } = await save('one')
    await createEndpoint('other')
    expect(await ask('DELETE', `/api/endpoints/other/saved-requests/${id}`)).toMatchObject({ status: 404 })
    await ask('DELETE', '/api/endpoints/e')
    await createEndpoint()
    expect(await get(PATH)).toEqual({ requests: [] })
  })

  it('are limited in number', async () => {
    const { ask, save } = await setup()
    for (let made = 0; made < limit('savedRequests'); made++) await save(`request ${made}`)
    const { status, body } = await ask('POST', PATH, { body: { name: 'one more', request } })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect(body.error).toMatch(/200 are saved, which is the limit. Delete one first/)
  })

  it('are limited in total size, so that one response holds them all', async () => {
    const { ask, get, save } = await setup()
    const body = 'x'.repeat(limit('managementBodyBytes') - 1000)
    const most = Math.floor(limit('savedRequestsBytes') / limit('managementBodyBytes'))
    for (let made = 0; made < most; made++) await save(`request ${made}`, { body })
    const small = await save('small')
    const refused = { status: 400, body: { code: 'BAD_FIELD', error: expect.stringMatching(/16.*Delete one first/) } }
    expect(await ask('POST', PATH, { body: { name: 'one more', request: { ...request, body } } })).toMatchObject(
      refused,
    )
    expect(await ask('PATCH', `${PATH}/${small.id}`, { body: { request: { ...request, body } } })).toMatchObject(
      refused,
    )
    const [first] = (await get(PATH)).requests
    expect(await ask('PATCH', `${PATH}/${first.id}`, { body: { name: 'renamed' } })).toMatchObject({ status: 200 })
  })

  it('need the account key', async () => {
    const { ask, createEndpoint } = await setup()
    const key = await createEndpoint('other')
    expect(await ask('GET', PATH, { key })).toMatchObject({ status: 403 })
    expect(await ask('GET', PATH, { key: null })).toMatchObject({ status: 401 })
  })
})

describe('hints for inputs', () => {
  it('are of the newest jobs, and leave out what is large', async () => {
    const { createEndpoint, run, get } = await setupService().then(async (service) => {
      await service.createEndpoint()
      return service
    })
    expect(await get('/api/endpoints/e/input-hints')).toEqual({ fields: [] })
    await run({ old: 1 })
    for (let sent = 0; sent < 9; sent++) await run({ prompt: `p${sent}` })
    await run({ picture: 'x'.repeat(100_000) })
    const { fields, example } = await get('/api/endpoints/e/input-hints')
    expect(fields.map(({ path }: { path: string }) => path)).toEqual(['picture', 'prompt'])
    expect(example).toBe(undefined)
    await createEndpoint('other')
    await run({ a: 1.0 }, {}, 'other')
    expect((await get('/api/endpoints/other/input-hints')).example).toBe('{"a":1}')
  })

  it('come from the signature of the function if an endpoint of an app has had no job', async () => {
    const { service, deploy } = await setupReleases()
    const greet = { name: 'greet', module: 'worker', is_async: false, is_generator: false, is_class: false }
    await deploy({ greet: { functions: [{ ...greet, example: { name: 'Ada' } }] }, shout: {} })
    expect(await service.get('/api/endpoints/greet/input-hints')).toEqual({ fields: [], example: '{"name":"Ada"}' })
    expect(await service.get('/api/endpoints/shout/input-hints')).toEqual({ fields: [] })
    await service.run({ name: 'Bo' }, {}, 'greet')
    expect((await service.get('/api/endpoints/greet/input-hints')).example).toBe('{"name":"Bo"}')
  })
})
