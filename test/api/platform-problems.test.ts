import { describe, expect, it } from 'vitest'
import { PLATFORM_ROUTES } from '../../src-main/contract/platform-routes.ts'
import { setup } from '../support/core.ts'
import { AN_ENDPOINT, platformClient } from '../support/platform-client.ts'

const { image: _image, ...WITHOUT_IMAGE } = AN_ENDPOINT
const RUNTIME = { ...AN_ENDPOINT, image: 'runpod/queue:py3.12-latest' }

type Bad = readonly [name: string, method: string, path: string, body: unknown, status: number, detail: RegExp]

const BAD: readonly Bad[] = [
  ['a body that is no JSON', 'POST', '/v2/serverless', '{', 400, /not valid JSON/],
  ['a body that is a list', 'POST', '/v2/serverless', '[]', 400, /not a JSON object/],
  ['no name', 'POST', '/v2/serverless', { ...AN_ENDPOINT, name: undefined }, 400, /^name: /],
  ['an unknown field', 'POST', '/v2/serverless', { ...AN_ENDPOINT, colour: 'red' }, 400, /colour/],
  ['an unknown type', 'POST', '/v2/serverless', { ...AN_ENDPOINT, type: 'POD' }, 400, /^type: /],
  ['neither image nor template', 'POST', '/v2/serverless', WITHOUT_IMAGE, 400, /^image: is missing/],
  [
    'a template that does not exist',
    'POST',
    '/v2/serverless',
    { ...WITHOUT_IMAGE, templateId: 'x' },
    404,
    /no template x/,
  ],
  [
    'GPUs and CPUs',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, gpu: { pools: ['ADA_24'] }, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
    400,
    /^cpu: excludes gpu/,
  ],
  [
    'an invalid scaler',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, scaling: { type: 'QUEUE_DELAY' } },
    400,
    /^scaling/,
  ],
  [
    'delay as the scaler of routes',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, type: 'LOAD_BALANCER' },
    400,
    /^scaling: must be of type REQUEST_COUNT/,
  ],
  [
    'more workers than ours',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, workers: { max: 101 } },
    400,
    /^workers.max: /,
  ],
  [
    'a minimum above the usual maximum',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, workers: { min: 4 } },
    422,
    /^workers.min: /,
  ],
  [
    'an idle timeout of nothing',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, workers: { idleTimeout: 0 } },
    400,
    /^workers.idleTimeout: /,
  ],
  ['pools that are none', 'POST', '/v2/serverless', { ...AN_ENDPOINT, gpu: { pools: [] } }, 400, /^gpu.pools: /],
  [
    'an invalid CUDA version',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, gpu: { pools: ['ADA_24'], minCudaVersion: 'new' } },
    400,
    /^gpu.minCudaVersion: /,
  ],
  [
    'an unknown CPU family',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, cpu: [{ id: 'cpu9z', vcpuCount: 2 }] },
    422,
    /no family cpu9z/,
  ],
  [
    'credentials that do not exist',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, registry: 'nobody' },
    422,
    /^registry: there are no credentials nobody/,
  ],
  [
    'a volume that does not exist',
    'POST',
    '/v2/serverless',
    { ...AN_ENDPOINT, networkVolumes: ['gone'] },
    422,
    /no volume gone/,
  ],
  ['an open quotation mark', 'POST', '/v2/serverless', { ...AN_ENDPOINT, args: 'a "b' }, 422, /^args: /],
  [
    'the runtime of routes for jobs',
    'POST',
    '/v2/serverless',
    { ...RUNTIME, image: 'runpod/api:py3.12-x' },
    422,
    /needs the type LOAD_BALANCER/,
  ],
  [
    'the runtime of tasks',
    'POST',
    '/v2/serverless',
    { ...RUNTIME, image: 'runpod/task:py3.12-x' },
    422,
    /runtime of tasks/,
  ],
  ['a name that is taken', 'POST', '/v2/serverless', { ...AN_ENDPOINT, name: 'e' }, 409, /already exists/],
  ['a variable that is no name', 'POST', '/v2/serverless', { ...AN_ENDPOINT, env: { '1A': 'x' } }, 400, /^env/],
  ['a type in a change', 'PATCH', '/v2/serverless/e', { type: 'QUEUE' }, 400, /type/],
  [
    'excluded types alone',
    'PATCH',
    '/v2/serverless/e',
    { gpu: { excludedTypes: ['NVIDIA L4'] } },
    400,
    /^gpu.excludedTypes: needs pools/,
  ],
  ['an endpoint that is not there', 'PATCH', '/v2/serverless/gone', { name: 'x' }, 404, /no endpoint gone/],
  ['a method that is none', 'PUT', '/v2/serverless/e', {}, 405, /takes GET, PATCH, DELETE/],
  ['a worker that is not there', 'GET', '/v2/serverless/e/workers/gone/logs', undefined, 404, /no worker gone/],
  ['too many lines', 'GET', '/v2/serverless/e/workers/gone/logs?tail=5001', undefined, 400, /^tail: /],
  ['the lines of a pod that is not there', 'GET', '/v2/pods/gone/logs', undefined, 404, /no worker gone/],
  ['a time that is none', 'GET', '/v2/serverless/e/workers/gone/logs?since=yesterday', undefined, 400, /^since: /],
  ['a template without an image', 'POST', '/v2/templates', { name: 'x' }, 400, /^image: /],
  [
    'a volume below its smallest',
    'POST',
    '/v2/network-volumes',
    { name: 'x', size: 9, dataCenter: 'EU-RO-1' },
    400,
    /^size: /,
  ],
  [
    'a volume above its largest',
    'POST',
    '/v2/network-volumes',
    { name: 'x', size: 4097, dataCenter: 'EU-RO-1' },
    400,
    /^size: /,
  ],
  ['credentials without a password', 'POST', '/v2/registries', { name: 'x', username: 'y' }, 400, /^password: /],
  [
    'credentials of a name with a slash',
    'POST',
    '/v2/registries',
    { name: 'a/b', username: 'y', password: 'z' },
    422,
    /^name: /,
  ],
  ['a product that is none', 'GET', '/v2/catalog/gpus?product=CAR', undefined, 400, /^product: /],
  ['a page of nothing', 'GET', '/v2/templates?limit=0', undefined, 400, /^limit: /],
]

describe('a bad request to the platform API', () => {
  it.each(BAD)('%s is a problem document', async (_name, method, path, body, status, detail) => {
    const { call, service } = await platformClient()
    await service.createEndpoint()
    const answer = await call(method, path, body)
    expect({ status: answer.status, detail: answer.body.detail }).toEqual({
      status,
      detail: expect.stringMatching(detail),
    })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ type: expect.stringMatching(/^urn:drydock:error:[a-z-]+$/), status })
    expect(answer.body.title).toMatch(/^[A-Z]/)
  })

  it('names all fields that are wrong', async () => {
    const { call } = await platformClient()
    const body = { ...AN_ENDPOINT, name: '', workers: { max: -1 } }
    const { errors } = (await call('POST', '/v2/serverless', body)).body
    expect(errors.toSorted()).toEqual([expect.stringMatching(/^name: /), 'workers.max: must be at least 0'])
  })

  it.each([
    ['GET', '/v2/global-volumes', /no global volumes/],
    ['POST', '/v2/global-volumes', /network volume/],
    ['PUT', '/v2/account/ssh-keys', /no SSH keys/],
    ['GET', '/v2/clusters', /no clusters/],
    ['GET', '/v2/billing/serverless', /no bills/],
    ['GET', '/v2/serverless/e/builds', /no builds of repositories/],
    ['GET', '/v2/registries/delegations', /no delegations/],
  ])('%s %s makes no sense on one machine, and says why', async (method, path, detail) => {
    const { call } = await platformClient()
    const { status, body } = await call(method, path)
    expect({ status, detail: body.detail }).toEqual({ status: 501, detail: expect.stringMatching(detail) })
  })
})

describe('the platform API', () => {
  const rows = Object.values(PLATFORM_ROUTES).flatMap(({ methods, path }) =>
    methods.map((method): readonly [string, string] => [method, path]),
  )

  it.each(rows)('%s %s takes the account key alone', async (method, path) => {
    const service = await setup()
    const endpointKey = await service.createEndpoint('e')
    await service.createEndpoint('caller', { callsOthers: true })
    const [worker, caller] = [await service.worker('e'), await service.worker('caller')]
    const address = path.replace(':id', 'e').replaceAll(/:\w+/g, worker.id)
    const body = method === 'GET' ? {} : { body: {} }
    const tokenOf = ({ spec }: typeof worker) => spec.env.RUNPOD_AI_API_KEY ?? ''
    const statuses = []
    for (const key of [null, 'nobody', endpointKey, tokenOf(worker), tokenOf(caller)]) {
      const response = await service.request(method, address, { ...body, key })
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 403, 401, 403])
  })

  it('refuses pages of other origins and other hosts', async () => {
    const { call } = await platformClient()
    const foreign = { headers: { origin: 'http://evil.test' } }
    expect(await call('GET', '/v2/templates', undefined, foreign)).toMatchObject({ status: 403 })
    expect(await call('GET', '/v2/templates', undefined, { headers: { host: 'evil.test' } })).toMatchObject({
      status: 403,
    })
    const text = { headers: { 'content-type': 'text/plain' } }
    expect(await call('POST', '/v2/templates', '{}', text)).toMatchObject({ status: 415 })
  })
})
