import { describe, expect, it } from 'vitest'
import { registryCredentials } from '../../src-main/features/registries/registries.ts'
import { setup } from '../support/core.ts'

const WORK = { name: 'work', server: 'ghcr.io', username: 'ada', password: 'enchantress' }

describe('registry credentials', () => {
  it('are stored for those who pull, and shown without their password', async () => {
    const service = await setup()
    const { password, ...shown } = WORK
    const stored = await service.post('/api/registries', WORK)
    expect(stored).toEqual({ ...shown, updatedAt: service.clock.wall() })
    expect(await service.get('/api/registries')).toEqual({ registries: [stored] })
    expect(registryCredentials(service.storage(), 'work')).toEqual({ server: 'ghcr.io', username: 'ada', password })
    expect(JSON.stringify(service.log)).not.toContain(password)
  })

  it('are replaced by those of the same name, and listed by name', async () => {
    const service = await setup()
    await service.post('/api/registries', WORK)
    await service.post('/api/registries', { ...WORK, name: 'home', server: '127.0.0.1:5000' })
    await service.post('/api/registries', { ...WORK, username: 'grace' })
    const { registries } = await service.get('/api/registries')
    expect(registries).toMatchObject([
      { name: 'home', server: '127.0.0.1:5000' },
      { name: 'work', username: 'grace' },
    ])
  })

  it('are forgotten once', async () => {
    const service = await setup()
    await service.post('/api/registries', WORK)
    expect(await service.ask('DELETE', '/api/registries/work')).toMatchObject({ status: 200, body: { ok: true } })
    expect(await service.ask('DELETE', '/api/registries/work')).toMatchObject({ status: 404 })
    expect(registryCredentials(service.storage(), 'work')).toBeUndefined()
  })

  it.each([
    ['a name with a slash', { name: 'a/b' }],
    ['a server with a path', { server: 'ghcr.io/ada' }],
    ['an address as the server', { server: 'https://ghcr.io' }],
    ['no user', { username: '' }],
    ['no password', { password: '' }],
    ['a field that is none', { token: 'x' }],
  ])('with %s are refused', async (_name, change) => {
    const service = await setup()
    expect(await service.ask('POST', '/api/registries', { body: { ...WORK, ...change } })).toMatchObject({
      status: 400,
      body: { code: 'BAD_FIELD' },
    })
  })

  it('are for the account key alone', async () => {
    const service = await setup()
    const key = await service.createEndpoint()
    expect(await service.ask('GET', '/api/registries', { key })).toMatchObject({ status: 403 })
  })
})
