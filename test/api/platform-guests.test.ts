import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { deployApp } from '../support/deployed-app.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'
import { platformTools } from '../support/platform-tools.ts'

const ASK = 'mutation { createFlashAuthRequest { id status expiresAt apiKey } }'
const LOOK = 'query ($id: String!) { flashAuthRequestStatus(flashAuthRequestId: $id) { id status apiKey } }'

/** A service with shop/production, whose worker calls others. */
async function setup() {
  const tools = await platformTools()
  const { service, query } = tools
  const { greet: endpointKey = '' } = await deployApp(service, { resources: { greet: { makesRemoteCalls: true } } })
  const token = (await service.worker('greet')).spec.env.RUNPOD_AI_API_KEY ?? ''
  const asGuest = (text: string, variables: object = {}) => query(text, { key: null, variables })
  const ask = async () => (await asGuest(ASK)).body.data.createFlashAuthRequest
  const look = async (id: string) => (await asGuest(LOOK, { id })).body.data.flashAuthRequestStatus
  const decide = (id: string, allow: boolean) => service.ask('POST', `/api/sign-in-requests/${id}`, { body: { allow } })
  return { ...tools, endpointKey, token, asGuest, ask, look, decide }
}

describe('a program without a key', () => {
  it('may ask to be signed in, and how that stands', async () => {
    const { asGuest } = await setup()
    const { status, body } = await asGuest(ASK)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: {
          createFlashAuthRequest: {
            id: expect.stringMatching(/^[\w-]{40,}$/),
            status: 'PENDING',
            expiresAt: new Date(TEST_EPOCH + limit('signInRequestMs')).toISOString(),
            apiKey: null,
          },
        },
      },
    })
    const { id } = body.data.createFlashAuthRequest
    expect((await asGuest(LOOK, { id })).body.data.flashAuthRequestStatus).toEqual({
      id,
      status: 'PENDING',
      apiKey: null,
    })
  })

  test.each([
    ['apps', '{ apps { name } }'],
    ['the account', '{ myself { id secrets { name } } }'],
    ['the name of a type', '{ __typename }'],
    ['the schema', getIntrospectionQuery()],
    ['a type', '{ __type(name: "Secret") { name } }'],
    ['a change', 'mutation { createFlashApp(input: { name: "x" }) { id } }'],
    ['both', 'mutation { createFlashAuthRequest { id } createFlashApp(input: { name: "x" }) { id } }'],
    ['both in one fragment', 'query { ...all } fragment all on Query { apps { name } }'],
    ['both in a part without a name', 'query { ... on Query { apps { name } } }'],
    ['another one by that name', 'query { flashAuthRequestStatus: myself { id } }'],
    ['another one in the same text', 'mutation A { createFlashAuthRequest { id } } query B { apps { name } }'],
    ['a text that cannot be read', '{ apps {'],
    ['nothing', ''],
  ])('may not ask for %s', async (_what, text) => {
    const { asGuest, service } = await setup()
    expect(await asGuest(text)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
    expect((await service.get('/api/apps')).apps).toHaveLength(1)
  })

  it('with a wrong key is rejected', async () => {
    const { query } = await setup()
    for (const text of [ASK, '{ myself { id } }'])
      expect(await query(text, { key: 'wrong' })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })

  it('is refused with a page of another origin', async () => {
    const { service } = await setup()
    const headers = { origin: 'https://evil.example' }
    const answer = await service.ask('POST', '/graphql', { key: null, body: { query: ASK }, headers })
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ORIGIN' } })
  })
})

test.each([
  ['myself', '{ myself { id } }'],
  ['flashAppByName', '{ flashAppByName(flashAppName: "shop") { id } }'],
  ['secretCreate', 'mutation { secretCreate(input: { name: "a", value: "b" }) { id } }'],
  ['createFlashApp', 'mutation { createFlashApp(input: { name: "x" }) { id } }'],
  ['deleteFlashApp', 'mutation { deleteFlashApp(flashAppId: "shop") }'],
  ['saveEndpoint', 'mutation { saveEndpoint(input: { name: "x" }) { id } }'],
])('%s is for the account: no worker and no key of an endpoint may ask for it', async (_field, text) => {
  const { query, token, endpointKey, service } = await setup()
  for (const key of [token, endpointKey])
    expect((await query(text, { key })).body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN_KEY' } }])
  expect((await service.get('/api/apps')).apps).toMatchObject([{ name: 'shop' }])
  expect((await service.get('/api/endpoints')).endpoints).toHaveLength(1)
})

describe('a program that asks to be signed in', () => {
  it('is given the account key once, after a person allowed it', async () => {
    const { ask, look, decide, service } = await setup()
    const { id } = await ask()
    expect(await service.get(`/api/sign-in-requests/${id}`)).toEqual({
      id,
      status: 'PENDING',
      expiresAt: TEST_EPOCH + limit('signInRequestMs'),
    })
    expect(await decide(id, true)).toMatchObject({ status: 200 })
    expect(await service.get(`/api/sign-in-requests/${id}`)).toMatchObject({ status: 'APPROVED' })
    expect(await look(id)).toEqual({ id, status: 'APPROVED', apiKey: service.accountKey() })
    expect(await look(id)).toEqual({ id, status: 'CONSUMED', apiKey: null })
    expect((await decide(id, true)).body).toMatchObject({
      code: 'SIGN_IN_NOT_FOUND',
      error: 'No program is waiting to be signed in at this address. Start `rp login` again.',
    })
  })

  it('gets no key where the person refuses, and cannot be allowed after that', async () => {
    const { ask, look, decide } = await setup()
    const { id } = await ask()
    await decide(id, false)
    expect(await look(id)).toEqual({ id, status: 'DENIED', apiKey: null })
    expect(await decide(id, true)).toMatchObject({ status: 404, body: { code: 'SIGN_IN_NOT_FOUND' } })
    expect((await look(id)).apiKey).toBeNull()
  })

  it('is too late after ten minutes', async () => {
    const { ask, look, decide, service } = await setup()
    const { id } = await ask()
    await service.clock.advance(limit('signInRequestMs') - 1)
    expect((await look(id)).status).toBe('PENDING')
    await service.clock.advance(1)
    expect(await look(id)).toEqual({ id, status: 'EXPIRED', apiKey: null })
    expect(await decide(id, true)).toMatchObject({ status: 404, body: { code: 'SIGN_IN_NOT_FOUND' } })
  })

  it('is not known by another id', async () => {
    const { asGuest, decide, service } = await setup()
    expect((await asGuest(LOOK, { id: 'nope' })).body.errors).toMatchObject([
      { extensions: { code: 'SIGN_IN_NOT_FOUND' } },
    ])
    const answers = [await decide('nope', true), await service.ask('GET', '/api/sign-in-requests/nope')]
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'SIGN_IN_NOT_FOUND' } })
  })

  it('is allowed by nobody but who is signed in', async () => {
    const { ask, look, service, token, endpointKey } = await setup()
    const { id } = await ask()
    const path = `/api/sign-in-requests/${id}`
    const status = async (key: string | null) =>
      (await service.ask('POST', path, { key, body: { allow: true } })).status
    expect([await status(null), await status(token), await status(endpointKey)]).toEqual([401, 403, 403])
    expect((await service.ask('GET', path, { key: null })).status).toBe(401)
    expect((await look(id)).status).toBe('PENDING')
  })

  it('is forgotten where too many others ask', async () => {
    const { ask, look, asGuest } = await setup()
    const { id } = await ask()
    const next = await ask()
    for (let more = 1; more < limit('signInRequests'); more++) await ask()
    expect((await asGuest(LOOK, { id })).body.errors).toMatchObject([{ extensions: { code: 'SIGN_IN_NOT_FOUND' } }])
    expect((await look(next.id)).status).toBe('PENDING')
  })
})
