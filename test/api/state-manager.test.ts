import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it, test } from 'vitest'
import type { Storage } from '../../src-main/app/core.ts'
import { setup as setupService } from '../support/core.ts'
import { deployApp } from '../support/deployed-app.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'

const GREET = { makesRemoteCalls: true, env: { TOKEN: 'a secret of the source' } }
const WEB = { is_load_balanced: true, functions: [] }

/** A service with shop/production, shop/test and blog/production, and who asks its state manager. */
async function setup(change?: (storage: Storage) => Storage) {
  const service = await setupService(change === undefined ? {} : { storage: change })
  const keys = await deployApp(service, {
    resources: { greet: GREET, web: WEB },
    routes: { web: { 'GET /hello': 'hello', 'POST /order': 'order' } },
  })
  const testKeys = await deployApp(service, { environment: 'test', resources: { greet: {} }, idPrefix: 'test-' })
  await deployApp(service, { app: 'blog', resources: { write: {} } })
  const query = (text: string, { key, variables }: { key?: string | null; variables?: object } = {}) =>
    service.ask('POST', '/graphql', { body: { query: text, variables }, ...(key === undefined ? {} : { key }) })
  const read = async (text: string, key?: string, variables?: object) => {
    const { status, body } = await query(text, {
      ...(key === undefined ? {} : { key }),
      ...(variables === undefined ? {} : { variables }),
    })
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
    return body.data
  }
  /** The first error of a query. */
  const refusal = async (text: string, key?: string) =>
    (await query(text, key === undefined ? {} : { key })).body.errors[0].message
  return { ...service, keys: { ...keys, ...testKeys }, query, read, refusal }
}

const NAMES = '{ apps { name environments { name endpoints { id } } } }'
const ALL = {
  apps: [
    { name: 'blog', environments: [{ name: 'production', endpoints: [{ id: 'write' }] }] },
    {
      name: 'shop',
      environments: [
        { name: 'production', endpoints: [{ id: 'web' }, { id: 'greet' }] },
        { name: 'test', endpoints: [{ id: 'test-greet' }] },
      ],
    },
  ],
}
const OWN = {
  apps: [{ name: 'shop', environments: [{ name: 'production', endpoints: [{ id: 'web' }, { id: 'greet' }] }] }],
}

describe('the account', () => {
  it('sees all apps', async () => {
    const { read } = await setup()
    expect(await read(NAMES)).toEqual(ALL)
    expect(await read('{ app(name: "blog") { name createdAt } none: app(name: "nope") { name } }')).toEqual({
      app: { name: 'blog', createdAt: TEST_EPOCH },
      none: null,
    })
  })

  it('reads an environment with all that belongs to it, and variables without values', async () => {
    const service = await setup()
    await deployApp(service, { resources: { greet: GREET } })
    await service.ask('PATCH', '/api/apps/shop/environments/production/variables', {
      body: { set: { SEED: 'hidden' } },
    })
    const { environment } = await service.read(
      `{ environment(app: "shop", name: "production") { app name createdAt variables
          active { number } releases { number state fingerprint createdAt activatedAt endedAt reason rollbackOf } } }`,
    )
    const release = { fingerprint: 'a'.repeat(64), createdAt: TEST_EPOCH, activatedAt: TEST_EPOCH }
    expect(environment).toEqual({
      app: 'shop',
      name: 'production',
      createdAt: TEST_EPOCH,
      variables: ['SEED'],
      active: { number: 2 },
      releases: [
        { number: 2, state: 'active', ...release, endedAt: null, reason: null, rollbackOf: null },
        { number: 1, state: 'superseded', ...release, endedAt: TEST_EPOCH, reason: null, rollbackOf: null },
      ],
    })
    expect(await service.read('{ environment(app: "shop", name: "nope") { name } }')).toEqual({ environment: null })
  })

  it('gets as many releases as it asks for, the newest', async () => {
    const service = await setup()
    await deployApp(service, { resources: { greet: {} } })
    const releases = async (limit: number) => {
      const text = `{ environment(app: "shop", name: "production") { releases(limit: ${limit}) { number } } }`
      const { data, errors } = (await service.query(text)).body
      return errors?.[0] ?? data.environment.releases
    }
    expect(await releases(1)).toEqual([{ number: 2 }])
    expect(await releases(50)).toEqual([{ number: 2 }, { number: 1 }])
    for (const limit of [0, 51])
      expect(await releases(limit)).toMatchObject({
        message: 'limit: must be from 1 to 50.',
        path: ['environment', 'releases'],
        extensions: { code: 'BAD_FIELD' },
      })
  })
})

describe('an endpoint', () => {
  const ENDPOINT = '{ id name url hostUrl loadBalanced routes functions resource }'
  const find = (wanted: string) =>
    `{ endpointFor(app: "shop", environment: "production", function: "${wanted}") ${ENDPOINT} }`

  it('is found by a function, with an address below that of the service', async () => {
    const { read } = await setup()
    expect(await read(find('greet'))).toEqual({
      endpointFor: {
        id: 'greet',
        name: 'greet (shop/production)',
        url: '/v2/greet',
        hostUrl: null,
        loadBalanced: false,
        routes: [],
        functions: ['greet'],
        resource: 'greet',
      },
    })
  })

  it('is found by its own name', async () => {
    const { read } = await setup()
    expect(await read(find('web'))).toEqual({
      endpointFor: {
        id: 'web',
        name: 'web (shop/production)',
        url: '/lb/web',
        hostUrl: 'http://web.localhost:8790',
        loadBalanced: true,
        routes: ['GET /hello', 'POST /order'],
        functions: [],
        resource: 'web',
      },
    })
  })

  it('is found by the function that it has in the release of now', async () => {
    const service = await setup()
    const shout = { name: 'shout', module: 'worker', is_async: false, is_generator: false, is_class: true }
    expect(await service.read(find('shout'))).toEqual({ endpointFor: null })
    await deployApp(service, { resources: { greet: { functions: [shout] } } })
    expect((await service.read(find('shout'))).endpointFor.id).toBe('greet')
  })

  it('is not found by a name that nothing has', async () => {
    const { read } = await setup()
    for (const wanted of ['nope', 'constructor', '__proto__', ''])
      expect(await read(find(wanted))).toEqual({ endpointFor: null })
  })

  it('is asked for by the query of the package svc', async () => {
    const { read } = await setup()
    const text =
      'query ($app: String!, $environment: String!, $function: String!) { endpointFor(app: $app, environment: $environment, function: $function) { id name url loadBalanced } }'
    const found = await read(text, undefined, { app: 'shop', environment: 'test', function: 'greet' })
    const name = 'greet (shop/test)'
    expect(found).toEqual({ endpointFor: { id: 'test-greet', name, url: '/v2/test-greet', loadBalanced: false } })
  })
})

describe('the key of an endpoint, and the token of a worker that calls others', () => {
  const OTHERS = `{
    app(name: "blog") { name }
    environment(app: "shop", name: "test") { name }
    endpointFor(app: "shop", environment: "test", function: "greet") { id }
    blog: endpointFor(app: "blog", environment: "production", function: "write") { id }
  }`
  const NOTHING = { app: null, environment: null, endpointFor: null, blog: null }

  it('see their own environment, and others as little as what does not exist', async () => {
    const { read, keys, worker } = await setup()
    const token = (await worker('greet')).spec.env.SVC_API_KEY
    for (const key of [keys.greet, keys.web, token]) {
      expect(await read(NAMES, key)).toEqual(OWN)
      expect(await read(OTHERS, key)).toEqual(NOTHING)
      expect(await read('{ app(name: "shop") { environments { name } } }', key)).toEqual({
        app: { environments: [{ name: 'production' }] },
      })
    }
  })

  it('see nothing where the endpoint is of no app', async () => {
    const { read, createEndpoint } = await setup()
    const key = await createEndpoint('alone')
    expect(await read(NAMES, key)).toEqual({ apps: [] })
    expect(await read(OTHERS, key)).toEqual(NOTHING)
  })

  it('read the manifest without the values that the source sets', async () => {
    const { read, keys } = await setup()
    const text = '{ environment(app: "shop", name: "production") { active { manifest } } }'
    const manifest = async (key?: string) => JSON.parse((await read(text, key)).environment.active.manifest)
    const whole = await manifest()
    expect(whole.resources.greet.env).toEqual(GREET.env)
    const shown = await manifest(keys.greet)
    expect(shown.resources.greet.env).toEqual({ TOKEN: '(hidden)' })
    expect({ ...shown, resources: undefined }).toEqual({ ...whole, resources: undefined })
  })
})

describe('a query', () => {
  const nested = (levels: number) => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`
  const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, at) => `a${at}: __typename`).join(' ')} }`
  const tooDeep = 'The query is more than 8 levels deep. Ask for less at a time.'
  const tooMany = 'The query asks for more than 200 fields, counting fragments and aliases. Ask for less at a time.'

  it('of 8 levels is looked at, of 9 it is not', async () => {
    const { refusal } = await setup()
    expect(await refusal(nested(7))).toMatch(/^Cannot query field "a"/)
    expect(await refusal(nested(8))).toMatch(/^Cannot query field "a"/)
    expect(await refusal(nested(9))).toBe(tooDeep)
  })

  it('of 200 fields is answered, of 201 it is not; aliases count', async () => {
    const { read, refusal } = await setup()
    expect(Object.keys(await read(aliases(199)))).toHaveLength(199)
    expect(Object.keys(await read(aliases(200)))).toHaveLength(200)
    expect(await refusal(aliases(201))).toBe(tooMany)
  })

  it('counts a fragment wherever it is spread', async () => {
    const { read, refusal } = await setup()
    const spread = (times: number) =>
      `{ ${Array.from({ length: times }, (_, at) => `a${at}: apps { ...F }`).join(' ')} }
       fragment F on App { name createdAt ... on App { again: name } }`
    expect(Object.keys(await read(spread(50)))).toHaveLength(50)
    expect(await refusal(spread(51))).toBe(tooMany)
  })

  it('that doubles with each fragment is refused as if it were long', async () => {
    const { refusal } = await setup()
    const bomb = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`)
    expect(await refusal(`{ ...F0 } ${bomb.join(' ')} fragment F60 on Query { __typename }`)).toBe(tooMany)
  })

  it('with fragments in a circle is refused', async () => {
    const { refusal } = await setup()
    const circle = '{ ...A } fragment A on Query { apps { name } ...B } fragment B on Query { ...A }'
    expect(await refusal(circle)).toMatch(/^Cannot spread fragment "A" within itself/)
    expect(await refusal('{ ...A } fragment A on Query { ...A }')).toMatch(/^Cannot spread fragment "A" within itself/)
  })

  it('counts fragments that nothing uses, and all operations', async () => {
    const { refusal } = await setup()
    expect(await refusal(`{ __typename } fragment F on Query ${aliases(201)}`)).toBe(tooMany)
    expect(await refusal(`query A ${aliases(100)} query B ${aliases(101)}`)).toBe(tooMany)
  })

  it('of more than 4000 tokens is not read to its end', async () => {
    const { refusal, read } = await setup()
    const text = (count: number) => `{ __typename ${'@skip(if: false) '.repeat(count)}`
    expect(await refusal(text(800))).toMatch(/4000 tokens/)
    expect(await read('{ __typename }')).toEqual({ __typename: 'Query' })
  })

  it('with an error of the inside says no more than a number that the log has', async () => {
    const broken = () => {
      throw new Error('a secret of the inside')
    }
    const { query, log } = await setup((storage) => ({ ...storage, apps: { ...storage.apps, apps: broken } }))
    const { status, body } = await query('{ apps { name } }')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: null,
        errors: [
          {
            message: expect.stringMatching(/^The service failed on this request; see \w{14} in its log\./),
            locations: [{ line: 1, column: 3 }],
            path: ['apps'],
            extensions: { code: 'INTERNAL' },
          },
        ],
      },
    })
    const logged = log.find(({ message }) => message === 'query failed')?.fields as { readonly requestId: string }
    expect(body.errors[0].message).toContain(logged.requestId)
  })
})

describe('introspection', () => {
  it('is for the account only, whoever asked before', async () => {
    const { read, refusal, keys, worker } = await setup()
    const token = (await worker('greet')).spec.env.SVC_API_KEY
    const text = getIntrospectionQuery()
    const schema = (await read(text)).__schema
    expect(schema.types.map(({ name }: { name: string }) => name)).toContain('Environment')
    for (const key of [keys.greet, token]) {
      expect(await refusal(text, key)).toMatch(/^This key may not ask for the schema/)
      expect(await refusal('{ __type(name: "App") { name } }', key)).toMatch(/^This key may not ask for the schema/)
    }
    expect((await read(text)).__schema).toEqual(schema)
  })
})

describe('the address /graphql', () => {
  test.each(['GET', 'PUT', 'DELETE'])('takes POST, not %s', async (method) => {
    const { ask } = await setup()
    expect((await ask(method, '/graphql?query={apps{name}}')).body).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      error: `/graphql takes POST, not ${method}.`,
    })
  })

  it('needs a key, and the token of a worker that calls nobody is none', async () => {
    const { query, createEndpoint, worker } = await setup()
    await createEndpoint('alone')
    const token = (await worker('alone')).spec.env.RUNPOD_AI_API_KEY ?? ''
    for (const key of [null, 'wrong', token])
      expect(await query('{ apps { name } }', { key })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })

  it('shows no app to a worker of none', async () => {
    const { query, createEndpoint, worker } = await setup()
    await createEndpoint('alone', { callsOthers: true })
    const key = (await worker('alone')).spec.env.RUNPOD_AI_API_KEY ?? ''
    expect(await query('{ apps { name } }', { key })).toMatchObject({ status: 200, body: { data: { apps: [] } } })
  })

  it('takes 64 KiB and not a byte more', async () => {
    const { ask } = await setup()
    const body = (bytes: number) => `{"query":"{__typename}"}`.padEnd(bytes)
    for (const bytes of [65_535, 65_536])
      expect((await ask('POST', '/graphql', { body: body(bytes) })).body).toEqual({ data: { __typename: 'Query' } })
    expect(await ask('POST', '/graphql', { body: body(65_537) })).toMatchObject({
      status: 400,
      body: { code: 'BODY_TOO_LARGE' },
    })
  })

  it.each([
    ['no JSON', 'x'],
    ['no query', '{}'],
    ['a list of queries', '[{"query":"{__typename}"}]'],
    ['a change', '{"query":"mutation { apps }"}'],
  ])('answers %s with an error', async (_what, body) => {
    const { ask } = await setup()
    const answer = (await ask('POST', '/graphql', { body })).body
    expect(answer).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] })
  })

  it.each([
    ['no JSON', 'x', 400, 'BAD_REQUEST'],
    ['a field that no request has', '{"query":"{__typename}","more":1}', 400, 'BAD_REQUEST'],
    ['variables that are a text', '{"query":"{__typename}","variables":"{}"}', 400, 'BAD_REQUEST'],
    [
      'an operation that does not exist',
      '{"query":"query A {__typename}","operationName":"B"}',
      400,
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['variables that do not fit', '{"query":"query ($a: String!) {app(name: $a) {name}}"}', 400, undefined],
    ['a query that cannot be read', '{"query":"{ apps { name }"}', 200, 'GRAPHQL_PARSE_FAILED'],
    ['a field that is not there', '{"query":"{ nope }"}', 200, 'GRAPHQL_VALIDATION_FAILED'],
  ])('says with status and code what is wrong with %s', async (_what, body, status, code) => {
    const { ask } = await setup()
    const answer = await ask('POST', '/graphql', { body })
    expect([answer.status, answer.body.errors[0].extensions?.code]).toEqual([status, code])
    expect(answer.body).not.toHaveProperty('data')
  })

  it('executes the operation that is named', async () => {
    const { ask } = await setup()
    const body = '{"query":"query A {__typename} query B {app(name: \\"blog\\") {name}}","operationName":"B"}'
    expect((await ask('POST', '/graphql', { body })).body).toEqual({ data: { app: { name: 'blog' } } })
  })

  it('answers with JSON only: no page, no leave for other pages', async () => {
    const { request } = await setup()
    const headers = { accept: 'text/html', origin: 'http://127.0.0.1:8790' }
    const answer = await request('POST', '/graphql', { body: { query: '{__typename}' }, headers })
    expect([...answer.headers.keys()]).toEqual(['content-type'])
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
  })
})
