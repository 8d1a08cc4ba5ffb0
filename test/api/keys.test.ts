import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { deployApp } from '../support/deployed-app.ts'

async function withEndpoints() {
  const service = await setup()
  const key = await service.createEndpoint('e')
  const otherKey = await service.createEndpoint('other')
  const code = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await service.ask('GET', path, { key: null, headers })
    return status === 200 ? 200 : `${status} ${body.code}`
  }
  return { ...service, key, otherKey, code }
}

describe('keys', () => {
  it('have 256 random bits, and no two are the same', async () => {
    const { key, otherKey, accountKey } = await withEndpoints()
    for (const one of [key, otherKey, accountKey()]) expect(one).toMatch(/^dk_[A-Za-z0-9_-]{43}$/)
    expect(new Set([key, otherKey, accountKey()]).size).toBe(3)
  })

  it('are taken with Bearer in any case and bare', async () => {
    const { key, code } = await withEndpoints()
    for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, key, ` ${key} `])
      expect(await code('/v2/e/health', { authorization })).toBe(200)
  })

  it('that are missing or wrong get 401 and nothing about what exists', async () => {
    const { key, code } = await withEndpoints()
    const wrong = ['', 'Bearer', 'Bearer ', 'Bearer wrong', `Bearer ${key}x`, `Basic ${key}`, `Bearer ${key} ${key}`]
    for (const authorization of wrong) {
      expect(await code('/v2/e/health', { authorization })).toBe('401 UNAUTHORIZED')
      expect(await code('/v2/nope/health', { authorization })).toBe('401 UNAUTHORIZED')
      expect(await code('/api/endpoints', { authorization })).toBe('401 UNAUTHORIZED')
    }
    expect(await code('/v2/e/health', {})).toBe('401 UNAUTHORIZED')
    expect(await code('/events', {})).toBe('401 UNAUTHORIZED')
    expect(await code('/openapi.json', {})).toBe('401 UNAUTHORIZED')
  })

  it('of the account open everything', async () => {
    const { accountKey, code } = await withEndpoints()
    const authorization = accountKey()
    for (const path of ['/v2/e/health', '/v2/other/health', '/api/endpoints', '/openapi.json'])
      expect(await code(path, { authorization })).toBe(200)
    expect(await code('/v2/nope/health', { authorization })).toBe('404 ENDPOINT_NOT_FOUND')
  })

  it('of an endpoint open that endpoint only', async () => {
    const { key, code } = await withEndpoints()
    const authorization = `Bearer ${key}`
    expect(await code('/v2/e/health', { authorization })).toBe(200)
    expect(await code('/v2/other/health', { authorization })).toBe('401 UNAUTHORIZED')
    for (const path of ['/api/endpoints', '/events', '/openapi.json', '/api/settings'])
      expect(await code(path, { authorization })).toBe('403 FORBIDDEN_KEY')
  })

  it('of an endpoint do not reach a job of another one', async () => {
    const { key, run, ask } = await withEndpoints()
    const id = await run({}, {}, 'other')
    for (const [method, operation] of [
      ['GET', 'status'],
      ['GET', 'stream'],
      ['GET', 'status-sync'],
      ['POST', 'cancel'],
      ['POST', 'retry'],
    ] as const)
      expect((await ask(method, `/v2/e/${operation}/${id}`, { key })).body).toMatchObject({ code: 'JOB_NOT_FOUND' })
  })

  it('of an endpoint can be rotated: the old one is void at once, the new one is shown once', async () => {
    const { key, post, get, code } = await withEndpoints()
    const { key: fresh, ...view } = await post('/api/endpoints/e/rotate-key')
    expect(await code('/v2/e/health', { authorization: key })).toBe('401 UNAUTHORIZED')
    expect(await code('/v2/e/health', { authorization: fresh })).toBe(200)
    expect(await get('/api/endpoints/e')).toEqual(view)
    expect(JSON.stringify(await get('/api/endpoints'))).not.toContain(fresh)
  })

  it('of the account can be rotated: the new one goes to the key file and not into the answer', async () => {
    const { accountKey, ask, code } = await withEndpoints()
    const old = accountKey()
    expect((await ask('POST', '/api/account-key/rotate')).body).toEqual({ keyFile: '/data/account.key' })
    expect(accountKey()).not.toBe(old)
    expect(await code('/api/endpoints', { authorization: old })).toBe('401 UNAUTHORIZED')
    expect(await code('/api/endpoints', { authorization: accountKey() })).toBe(200)
  })

  it('are stored as hashes only', async () => {
    const { key, storage, accountKey, log } = await withEndpoints()
    const stored = JSON.stringify([storage().endpoints.all(), storage().state.get('account.keyHash'), log])
    expect(stored).not.toContain(key)
    expect(stored).not.toContain(accountKey())
    expect(storage().endpoints.get('e')?.keyHash.length).toBe(32)
  })

  it('of a worker are good for its own calls only', async () => {
    const { worker, code, otherKey } = await withEndpoints()
    const mine = await worker('e')
    const other = await worker('other')
    const token = mine.spec.env.RUNPOD_AI_API_KEY ?? ''
    expect(await code('/v2/e/health', { authorization: token })).toBe('401 UNAUTHORIZED')
    expect(await code('/api/endpoints', { authorization: token })).toBe('401 UNAUTHORIZED')
    const ping = (endpointId: string, workerId: string, authorization: string) =>
      mine.call(`http://127.0.0.1:8791/v2/${endpointId}/ping/${workerId}?w=1`, { headers: { authorization } })
    expect((await ping('e', mine.id, token)).status).toBe(200)
    expect((await ping('e', other.id, token)).status).toBe(401)
    expect((await ping('other', mine.id, token)).status).toBe(401)
    expect((await ping('e', 'nobody', token)).status).toBe(401)
    expect((await ping('e', mine.id, otherKey)).status).toBe(401)
    expect((await ping('e', mine.id, '')).status).toBe(401)
  })

  it('of a worker of an app open what is in its environment, and only if it is to call others', async () => {
    const service = await withEndpoints()
    const { code, worker } = service
    const calls = { makesRemoteCalls: true }
    await deployApp(service, { resources: { front: calls, back: {} } })
    await deployApp(service, { environment: 'test', resources: { front: calls }, idPrefix: 'test-' })
    const tokenOf = async (endpointId: string) => (await worker(endpointId)).spec.env.RUNPOD_AI_API_KEY ?? ''
    const opens = async (token: string) => {
      const paths = ['/v2/front/health', '/v2/back/health', '/v2/test-front/health', '/v2/e/health', '/api/info']
      return Promise.all(paths.map((path) => code(path, { authorization: `Bearer ${token}` })))
    }
    const [no, forbidden] = ['401 UNAUTHORIZED', '403 FORBIDDEN_KEY']
    expect(await opens(await tokenOf('front'))).toEqual([200, 200, no, no, forbidden])
    expect(await opens(await tokenOf('test-front'))).toEqual([no, no, 200, no, forbidden])
    expect(await opens(await tokenOf('back'))).toEqual([no, no, no, no, no])
    expect(await opens(await tokenOf('e'))).toEqual([no, no, no, no, no])
  })

  it('of an endpoint of an app open that endpoint only', async () => {
    const service = await withEndpoints()
    const { front } = await deployApp(service, { resources: { front: { makesRemoteCalls: true }, back: {} } })
    const authorization = `Bearer ${front}`
    expect(await service.code('/v2/front/health', { authorization })).toBe(200)
    expect(await service.code('/v2/back/health', { authorization })).toBe('401 UNAUTHORIZED')
    expect(await service.code('/api/info', { authorization })).toBe('403 FORBIDDEN_KEY')
  })

  it('of a worker are void when it has ended', async () => {
    const { worker, fleet } = await withEndpoints()
    const mine = await worker('e')
    fleet().end(mine.id, { code: 0 })
    await expect(mine.ping()).rejects.toThrow('401')
  })
})
