import { describe, expect, it } from 'vitest'
import { APP_ROUTES } from '../../src-main/contract/app-routes.ts'
import { PLATFORM_ROUTES } from '../../src-main/contract/platform-routes.ts'
import { isEnough, ROLES, type Role } from '../../src-main/contract/roles.ts'
import { type Route, roleFor } from '../../src-main/contract/routes.ts'
import { V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import { DAY_MS } from '../../src-main/lib/units.ts'
import { setup, type TestService } from '../support/core.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'

async function setupKeys() {
  const service = await setup()
  await service.createEndpoint('e', { env: { TOKEN: 'hunter2' } })
  const keyFor = async (role: Role, more: object = {}) =>
    (await service.post('/api/keys', { name: `the-${role}`, role, ...more })).key as string
  return { ...service, keyFor }
}

async function codeOf({ request }: TestService, method: string, path: string, key: string): Promise<string> {
  const response = await request(method, path, { key, ...(method === 'GET' ? {} : { body: {} }) })
  const text = await response.text()
  return response.ok ? 'OK' : (JSON.parse(text).code ?? text)
}

const ROWS: readonly Route[] = [
  ...Object.values(APP_ROUTES),
  ...Object.values(PLATFORM_ROUTES),
  ...Object.values(V2_ROUTES),
]
// Answers that do not end by themselves, and one that needs more for most folders: see projects.test.ts.
const UNTRIED = /\/(?:usage|stream|status-sync)|^\/api\/folders$/

describe('a named key', () => {
  it.each(ROLES)('with the role %s opens the routes of its role, and no other', async (role) => {
    const { keyFor, ...service } = await setupKeys()
    const key = await keyFor(role)
    const wrong: string[] = []
    for (const route of ROWS.filter(({ path, bodyType }) => !UNTRIED.test(path) && bodyType === undefined)) {
      const path = route.path.replace(':endpointId', 'e').replaceAll(/:\w+/g, 'nothing')
      for (const method of route.methods) {
        const needed = roleFor(route, method)
        // Only refusals are tried of what changes something.
        if (isEnough(role, needed) && method !== 'GET') continue
        const code = await codeOf(service as TestService, method, path, key)
        const isRefused = code === 'FORBIDDEN_ROLE' || code === 'UNAUTHORIZED' || code === 'FORBIDDEN_KEY'
        if (isRefused === isEnough(role, needed)) wrong.push(`${method} ${path} needs ${needed}, and was ${code}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('says what its role is and which one is needed', async () => {
    const { keyFor, ask } = await setupKeys()
    const key = await keyFor('run')
    const { status, body } = await ask('DELETE', '/api/endpoints/e', { key })
    expect(status).toBe(403)
    expect(body.error).toBe('The key the-run has the role run, but this needs deploy. Ask for a key with that role.')
  })

  it('to run sends jobs and cancels them; one to read sees them', async () => {
    const { keyFor, ask } = await setupKeys()
    const [run, read] = [await keyFor('run'), await keyFor('read')]
    const { id } = (await ask('POST', '/v2/e/run', { key: run, body: { input: {} } })).body
    expect((await ask('GET', `/v2/e/status/${id}`, { key: read })).body).toMatchObject({ id, status: 'IN_QUEUE' })
    expect((await ask('POST', `/v2/e/cancel/${id}`, { key: read })).body).toMatchObject({ code: 'FORBIDDEN_ROLE' })
    expect((await ask('POST', `/v2/e/cancel/${id}`, { key: run })).body).toMatchObject({ status: 'CANCELLED' })
  })

  it('below deploy sees the names of variables, and not their values', async () => {
    const { keyFor, ask } = await setupKeys()
    const key = await keyFor('run')
    for (const path of ['/api/endpoints/e', '/api/endpoints', '/v2/serverless/e']) {
      const [low, high] = [await ask('GET', path, { key }), await ask('GET', path)]
      expect(JSON.stringify(high.body)).toContain('hunter2')
      expect(JSON.stringify(low.body)).not.toContain('hunter2')
      expect(JSON.stringify(low.body)).toContain('TOKEN')
    }
  })

  it('may not read the queries of the platform that change something', async () => {
    const { keyFor, ask } = await setupKeys()
    const query = 'mutation { createFlashApp(input: { name: "mine" }) { id } }'
    const sent = async (key: string) => (await ask('POST', '/graphql', { key, body: { query } })).body
    expect(await sent(await keyFor('run'))).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN_ROLE' } }] })
    expect(await sent(await keyFor('deploy'))).toMatchObject({ data: { createFlashApp: { id: expect.anything() } } })
  })

  it('ends at its time, and at once when it is revoked', async () => {
    const { keyFor, ask, clock } = await setupKeys()
    const ending = await keyFor('read', { endsAt: TEST_EPOCH + DAY_MS })
    const revoked = await keyFor('run')
    const status = async (key: string) => (await ask('GET', '/api/info', { key })).status
    expect([await status(ending), await status(revoked)]).toEqual([200, 200])
    await ask('DELETE', '/api/keys/the-run')
    await clock.leap(DAY_MS)
    expect([await status(ending), await status(revoked)]).toEqual([401, 401])
    expect((await ask('POST', '/api/keys', { body: { name: 'late', role: 'read', endsAt: 1 } })).body).toMatchObject({
      code: 'BAD_FIELD',
    })
  })

  it('signs browsers in with its own role, until it is revoked', async () => {
    const { keyFor, ask, request, signIn } = await setupKeys()
    const { headers } = await signIn(await keyFor('read'))
    const asked = { key: null, headers }
    expect((await request('GET', '/api/info', asked)).status).toBe(200)
    expect((await request('POST', '/api/endpoints/e/pause', asked)).status).toBe(403)
    await ask('DELETE', '/api/keys/the-read')
    expect((await request('GET', '/api/info', asked)).status).toBe(401)
  })

  it('gets another role, and so do its browsers; neither change of two at once is lost', async () => {
    const { keyFor, ask, get, request, signIn } = await setupKeys()
    const key = await keyFor('admin')
    const { headers } = await signIn(key)
    const change = (body: object, name = 'the-admin') => ask('PATCH', `/api/keys/${name}`, { body })
    const changes = await Promise.all([change({ role: 'read' }), change({ endsAt: TEST_EPOCH + DAY_MS })])
    expect(changes.map(({ status }) => status)).toEqual([200, 200])
    expect((await get('/api/keys')).keys).toMatchObject([{ role: 'read', endsAt: TEST_EPOCH + DAY_MS }])
    for (const asked of [{ key }, { key: null, headers }]) {
      expect((await request('GET', '/api/info', asked)).status).toBe(200)
      expect((await request('POST', '/api/endpoints/e/pause', asked)).status).toBe(403)
    }
    expect((await change({ endsAt: null })).body).not.toHaveProperty('endsAt')
    expect((await change({ endsAt: 1 })).body).toMatchObject({ code: 'BAD_FIELD' })
    expect((await change({ role: 'run' }, 'nobody')).body).toMatchObject({ code: 'KEY_NOT_FOUND' })
  })

  it('is rotated: the old one ends with its browser sessions, the new one has the same role', async () => {
    const { keyFor, ask, request, signIn } = await setupKeys()
    const old = await keyFor('run')
    const { headers } = await signIn(old)
    const { body } = await ask('POST', '/api/keys/the-run/rotate')
    expect(body).toMatchObject({ name: 'the-run', role: 'run' })
    for (const asked of [{ key: old }, { key: null, headers }])
      expect((await request('GET', '/api/info', asked)).status).toBe(401)
    expect((await request('GET', '/api/info', { key: body.key })).status).toBe(200)
    expect((await request('POST', '/api/endpoints/e/pause', { key: body.key })).status).toBe(403)
  })

  it('is listed with its last use, and stored as a hash only', async () => {
    const { keyFor, ask, get, storage, log } = await setupKeys()
    const key = await keyFor('read')
    expect((await get('/api/keys')).keys).toEqual([{ name: 'the-read', role: 'read', createdAt: expect.any(Number) }])
    await ask('GET', '/api/info', { key })
    expect((await get('/api/keys')).keys[0]).toHaveProperty('lastUsedAt')
    expect(JSON.stringify([storage().keys.all(), await get('/api/keys'), log])).not.toContain(key)
  })

  it('has a name that is free, and not that of the account key', async () => {
    const { ask } = await setupKeys()
    for (const name of ['account', '', 'a b', '-x', 'x'.repeat(64)])
      expect((await ask('POST', '/api/keys', { body: { name, role: 'read' } })).status).toBeGreaterThanOrEqual(400)
  })
})

describe('the list of changes', () => {
  it('says who changed what and how it ended; reads and small steps are not in it', async () => {
    const { keyFor, ask, get } = await setupKeys()
    const key = await keyFor('deploy')
    await ask('POST', '/api/endpoints/e/pause', { key })
    await ask('DELETE', '/api/endpoints/nope', { key })
    await ask('GET', '/api/endpoints', { key })
    const { entries } = await get('/api/audit?key=the-deploy')
    expect(entries).toMatchObject([
      { key: 'the-deploy', operation: 'endpointDelete', target: 'nope', status: 404 },
      { key: 'the-deploy', operation: 'endpointPause', what: 'Pause an endpoint', target: 'e', status: 200 },
    ])
    const all = (await get('/api/audit')).entries
    expect(all.at(-1)).toMatchObject({ key: 'account', operation: 'endpointCreate', target: 'e' })
    expect((await get(`/api/audit?before=${all[0].id}&limit=1`)).entries).toMatchObject([{ id: all[1].id }])
    const more = async (limit: number) => (await get(`/api/audit?limit=${limit}`)).more
    expect([await more(all.length - 1), await more(all.length)]).toEqual([true, undefined])
    expect(JSON.stringify(all)).not.toContain('hunter2')
  })

  it('has changes by the APIs of the platform too', async () => {
    const { ask, get } = await setupKeys()
    await ask('POST', '/graphql', { body: { query: 'mutation { createFlashApp(input: { name: "mine" }) { id } }' } })
    await ask('DELETE', '/v2/templates/nothing')
    expect((await get('/api/audit?limit=2')).entries).toMatchObject([
      { operation: 'platform templateDelete', target: 'nothing', status: 404 },
      { operation: 'graphql createFlashApp', target: 'mine', status: 200 },
    ])
  })
})
