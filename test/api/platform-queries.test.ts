/** Queries of public packages about the account and its things. Source: docs/spec/platform.md, 6. */
import { expect, test } from 'vitest'
import { platformTools, toolArtifact, toolManifest } from '../support/platform-tools.ts'

test('the account lists its volumes, has no SSH keys, and says whether an endpoint exists', async () => {
  const { read, service } = await platformTools()
  await service.createEndpoint()
  await service.ask('POST', '/v2/network-volumes', { body: { name: 'models', size: 20, dataCenter: 'EU-RO-1' } })
  const user = '{ myself { id pubKey networkVolumes { id name size dataCenterId } } }'
  expect(await read(user)).toEqual({
    myself: {
      id: 'local',
      pubKey: null,
      networkVolumes: [{ id: expect.any(String), name: 'models', size: 20, dataCenterId: 'EU-RO-1' }],
    },
  })
  const exists = 'query ($id: String!) { myself { endpoint(id: $id) { id } } }'
  expect((await read(exists, { id: 'e' })).myself.endpoint).toEqual({ id: 'e' })
  expect((await read(exists, { id: 'x' })).myself.endpoint).toBeNull()
})

test('an app and an environment are read by their ids', async () => {
  const { read, refusal, place, upload } = await platformTools()
  const { flashAppId, flashEnvironmentId } = await place()
  await upload(await toolArtifact(toolManifest([{ name: 'adder' }])))
  const app =
    'query ($id: String!) { flashApp(flashAppId: $id) { name flashEnvironments { id } flashBuilds { id objectKey } } }'
  expect(await read(app, { id: flashAppId })).toEqual({
    flashApp: { name: 'shop', flashEnvironments: [{ id: flashEnvironmentId }], flashBuilds: [] },
  })
  expect(await refusal(app, { id: 'x' })).toBe('The app x was not found.')
  const environment = 'query ($id: String!) { flashEnvironment(flashEnvironmentId: $id) { name } }'
  expect(await read(environment, { id: flashEnvironmentId })).toEqual({ flashEnvironment: { name: 'default' } })
  expect(await refusal(environment, { id: 'x' })).toBe('The environment x was not found.')
})

test('an endpoint is deleted, and one that is gone is not found', async () => {
  const { read, refusal, service } = await platformTools()
  await service.createEndpoint()
  const remove = 'mutation ($id: String!) { deleteEndpoint(id: $id) }'
  expect(await read(remove, { id: 'e' })).toEqual({ deleteEndpoint: null })
  expect((await service.get('/api/endpoints')).endpoints).toEqual([])
  expect(await refusal(remove, { id: 'e' })).toBe('The endpoint e was not found.')
})

test('registry credentials change user and password but keep their registry', async () => {
  const { read, refusal, query, service } = await platformTools()
  await service.post('/api/registries', { name: 'work', server: 'ghcr.io', username: 'ada', password: 'old' })
  const update = 'mutation ($input: UpdateRegistryAuthInput!) { updateRegistryAuth(input: $input) { id name } }'
  const input = { id: 'work', username: 'bea', password: 'not-to-be-seen' }
  expect(await read(update, { input })).toEqual({ updateRegistryAuth: { id: 'work', name: 'work' } })
  expect((await service.get('/api/registries')).registries).toMatchObject([
    { name: 'work', server: 'ghcr.io', username: 'bea' },
  ])
  expect(JSON.stringify(service.log)).not.toContain(input.password)
  expect(await refusal(update, { input: { ...input, id: 'x' } })).toMatch(/^There are no registry credentials x\./)
  const { key } = (await service.post('/api/keys', { name: 'ci', role: 'deploy' })) as { key: string }
  const { errors } = (await query(update, { variables: { input }, key })).body
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN_ROLE' } }])
})

test.each([
  ['listings', '{ listings(input: {}) { id } }', 'hub of workers'],
  ['gpuTypes', '{ gpuTypes { id lowestPrice(input: { gpuCount: 1 }) { stockStatus } } }', 'market of GPUs'],
  ['allAiApiPublicConfigs', '{ allAiApiPublicConfigs { id } }', 'public endpoints'],
])('a client that reads %s, without a key too, is told why it is not here', async (_field, text, what) => {
  const { query } = await platformTools()
  for (const key of [null, undefined]) {
    const { status, body } = await query(text, key === undefined ? {} : { key })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'NOT_ON_THIS_MACHINE' } }] },
    })
    expect(body.errors[0].message).toContain(`This service runs on one machine and has no ${what}: `)
  }
})
