/** `npm run test:platform`: planted changes of a newer client are printed. Source: test/platform. */
import { expect, test } from 'vitest'
import { compare, compareWords, type Seen } from '../../platform/compare.ts'
import { type Exchange, fieldNames, readCalls } from '../../platform/read-exchanges.ts'

const exchange = (line: string, sent: object | undefined, rest: Partial<Exchange> = {}): Exchange => {
  const [method = '', url = ''] = line.split(' ')
  return {
    ...{ method, url, headers: ['host', 'accept'], status: 200, answered: '{}' },
    ...{ sent: JSON.stringify(sent) ?? '', ...rest },
  }
}
const query = (text: string, variables: object, answered: object) =>
  exchange('POST /graphql', { query: text, variables }, { answered: JSON.stringify(answered) })

const OLDER = [
  exchange('POST /v2/hello/run', { input: { prompt: 'a' } }),
  exchange('GET /v2/hello/status/1a', undefined),
  exchange('POST /v2/serverless', { name: 'a', workers: { min: 0, max: 1 } }, { status: 201 }),
  exchange('GET /v2/clusters', undefined, { status: 501 }),
  query('query { myself { id } }', {}, { data: { myself: { id: 'local' } } }),
]
const NEWER = [
  exchange('POST /v2/hello/run', { input: { prompt: 'a', size: 2 }, priority: 1 }, { headers: ['x-region'] }),
  exchange('GET /v2/hello/status/2b?fields=output', undefined),
  exchange('POST /v2/serverless', { name: 'a', workers: { min: 0, max: 1, burst: 3 }, env: { A: '1' } }),
  exchange('GET /v2/pods?limit=5', undefined),
  exchange('GET /v2/hello/forecast/7c', undefined, { status: 404 }),
  query('query { myself { id email } }', {}, { errors: [{ message: 'Cannot query field "email"' }] }),
  query('mutation M($input: I!) { saveEndpoint(input: $input) { id } }', { input: { name: 'a' } }, { data: {} }),
]
const seen = (exchanges: readonly Exchange[]): Seen => ({ versions: {}, ...readCalls(exchanges) })

test('a newer client that calls an unknown route and sends an unknown field is reported', () => {
  expect(compare(seen(OLDER), seen([...OLDER, ...NEWER]))).toEqual([
    'Called and not answered:',
    '  GET /v2/hello/forecast/:id',
    '  graphql myself: Cannot query field "email"',
    'Called for the first time:',
    '  GET /v2/pods with ?limit',
    '  graphql saveEndpoint with $input.name, id',
    'Sent or asked for, for the first time:',
    '  GET /v2/:endpointId/status/:jobId: ?fields',
    '  POST /v2/:endpointId/run: priority',
    '  POST /v2/:endpointId/run: x-region',
    '  POST /v2/serverless: env',
    '  POST /v2/serverless: workers.burst',
  ])
})

test('nothing is new in the same calls in another order, nor in requests to other servers and users’ routes', () => {
  const others = [
    exchange('GET /acme/tiny/resolve/main/config.json', undefined),
    exchange('GET /api/nothing', undefined, { status: 404 }),
    exchange('POST /lb/web/anything', { a: 1 }, { status: 404 }),
  ]
  expect(compare(seen(OLDER), seen([...others, ...OLDER.toReversed()]))).toEqual([])
})

test('changed words are printed, and keys that a client reads but no response has', () => {
  const answered = new Set(fieldNames('{"jobs":[{"id":1,"delayTime":2}]}'))
  const older = ['text no such job', 'signature runpod.Job.stream(self)', 'reads id']
  const newer = ['text no such job.', 'signature runpod.Job.stream(self, limit)', 'reads delayTime', 'reads queueTime']
  expect(compareWords(older, newer, answered)).toEqual([
    '- reads id',
    '- signature runpod.Job.stream(self)',
    '- text no such job',
    '+ reads delayTime',
    '+ reads queueTime (in no response of this run)',
    '+ signature runpod.Job.stream(self, limit)',
    '+ text no such job.',
  ])
})
