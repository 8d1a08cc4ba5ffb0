import { describe, expect, it } from 'vitest'
import { isReserved, RESERVED_TEXT } from '../../src-main/contract/reserved-variables.ts'
import { setup } from '../support/core.ts'
import { AN_ENDPOINT } from '../support/platform-client.ts'
import { platformTools, toolArtifact, toolManifest } from '../support/platform-tools.ts'

// Users may set these: they say how the public SDK checks its machine, and which certificates Python trusts.
const OF_USERS = /^(A|SSL_CERT_FILE|RUNPOD_SKIP_\w+|RUNPOD_ALLOW_PRIVATE_DOWNLOAD_URLS)$/
const refusalOf = (name: string) => `env.${name}: ${RESERVED_TEXT}.`

describe('a variable that workers get from the service', () => {
  it('is refused in the settings of an endpoint, new or changed', async () => {
    const { createEndpoint, ask, get } = await setup()
    const create = await ask('POST', '/api/endpoints', {
      body: { name: 'e', handler: '/srv/handler.py', env: { RUNPOD_API_KEY: 'mine' } },
    })
    expect([create.status, create.body.detail]).toEqual([400, refusalOf('RUNPOD_API_KEY')])
    await createEndpoint('e', { env: { A: '1' } })
    const change = await ask('PATCH', '/api/endpoints/e', { body: { env: { A: '2', RUNPOD_POD_ID: 'mine' } } })
    expect([change.status, change.body.detail]).toEqual([400, refusalOf('RUNPOD_POD_ID')])
    expect((await get('/api/endpoints/e')).env).toEqual({ A: '1' })
  })

  it('is refused by the management API of the platform, except for a key that its tools send along', async () => {
    const { ask, accountKey, post, storage } = await setup()
    const save = (RUNPOD_API_KEY: string, name: string) =>
      ask('POST', '/v2/serverless', { body: { ...AN_ENDPOINT, name, env: { A: '1', RUNPOD_API_KEY } } })
    const refused = await save('mine', 'one')
    expect([refused.status, refused.body.detail]).toEqual([400, refusalOf('RUNPOD_API_KEY')])
    const { key } = await post('/api/keys', { name: 'ci', role: 'admin' })
    for (const [at, sent] of [accountKey(), key].entries()) {
      const { status, body } = await save(sent, `sent-${at}`)
      expect(status).toBe(201)
      expect(storage().endpoints.get(body.id)?.config).toMatchObject({ env: { A: '1' }, callsOthers: true })
    }
  })

  it('is refused in the code of an app that the tools deploy, and among the variables of its environment', async () => {
    const { service, upload, activate, place } = await platformTools()
    const at = await place()
    const build = await upload(await toolArtifact(toolManifest([{ name: 'adder', env: { FLASH_APP: 'mine' } }])))
    const [{ message }] = (await activate(build, at)).body.errors
    expect(message).toContain(`env.FLASH_APP of adder: ${RESERVED_TEXT}.`)
    const body = { set: { RUNPOD_BUILD_ID: 'mine' } }
    const refused = await service.ask('PATCH', '/api/apps/shop/environments/default/variables', { body })
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(RESERVED_TEXT)])
    const allowed = { set: { RUNPOD_LOG_LEVEL: 'DEBUG' } }
    expect(
      await service.ask('PATCH', '/api/apps/shop/environments/default/variables', { body: allowed }),
    ).toMatchObject({ status: 200 })
  })

  it('is in the table of reserved variables', async () => {
    const { createEndpoint, worker } = await setup()
    await createEndpoint('e', { callsOthers: true, env: { A: '1' } })
    const { spec } = await worker()
    const others = Object.keys(spec.env).filter((name) => !isReserved(name) && !OF_USERS.test(name))
    expect(others).toEqual([])
  })
})
