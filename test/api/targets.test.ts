import { describe, expect, it } from 'vitest'
import { manifestOf } from '../support/app-folder.ts'
import { setup } from '../support/core.ts'
import { BOX, twoServices } from '../support/two-services.ts'

const ADDER = manifestOf({ adder: { workersMax: 2 } })

describe('a target', () => {
  it('is stored when its key works, and shown without it', async () => {
    const { here, there, url } = await twoServices()
    expect(await here.get('/api/targets')).toEqual({ targets: [{ name: 'box', url, updatedAt: here.clock.wall() }] })
    expect(JSON.stringify(here.log)).not.toContain(there.accountKey())
    expect(JSON.stringify(await here.get('/api/targets'))).not.toContain(there.accountKey())
    const wrong = await here.ask('POST', '/api/targets', { body: { name: 'other', url, key: 'wrong' } })
    expect(wrong).toMatchObject({ status: 502, body: { code: 'TARGET_REFUSED' } })
    expect(wrong.body.error).not.toContain('wrong.')
    expect((await here.get('/api/targets')).targets).toHaveLength(1)
  })

  it('is one address, however clients of the platform write it', async () => {
    const { here, there, url } = await twoServices()
    for (const written of [`${url}/`, `${url}/v2`, `${url}/graphql`])
      expect(await here.post('/api/targets', { name: 'box', url: written, key: there.accountKey() })).toMatchObject({
        url,
      })
  })

  it.each([
    ['a name with a slash', { name: 'a/b' }],
    ['an address that is none', { url: 'box' }],
    ['an address of another kind', { url: 'file:///etc' }],
    ['an address with a password', { url: 'http://ada:secret@127.0.0.1' }],
    ['a key of two lines', { key: 'a\nb' }],
    ['a field that is none', { token: 'x' }],
  ])('with %s is refused', async (_what, change) => {
    const here = await setup()
    const body = { name: 'box', url: 'http://127.0.0.1:1', key: 'k', ...change }
    expect(await here.ask('POST', '/api/targets', { body })).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  })

  it('is forgotten once, with what was deployed there', async () => {
    const { here } = await twoServices()
    expect(await here.ask('DELETE', '/api/targets/box')).toMatchObject({ status: 200 })
    expect(await here.ask('DELETE', '/api/targets/box')).toMatchObject({ status: 404 })
    expect(await here.ask('GET', `${BOX}/deploys`)).toMatchObject({ status: 404, body: { code: 'TARGET_NOT_FOUND' } })
  })
})

describe('a deploy to a target', () => {
  it('is planned, sent, and active there', async () => {
    const { here, there, source, deploy } = await twoServices()
    const plan = await here.post(`${BOX}/plan`, { source: await source({ manifest: ADDER }) })
    expect(plan).toEqual({
      app: 'shop',
      environment: 'production',
      makes: ['app', 'environment'],
      steps: [{ resource: 'adder', action: 'create', changes: [], replacesWorkers: false }],
      warnings: [],
    })
    expect(await there.get('/api/apps')).toEqual({ apps: [] })
    const first = await deploy({ manifest: ADDER })
    expect(first.deploy).toMatchObject({
      state: 'active',
      phase: 'end',
      number: 1,
      steps: [{ resource: 'adder', action: 'create', state: 'done' }],
      endpoints: [{ resource: 'adder', id: 'adder', loadBalanced: false, state: '1 idle' }],
    })
    expect((await there.get('/api/apps/shop/environments/production')).active).toMatchObject({ number: 1 })
  })
})
