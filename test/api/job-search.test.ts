import { expect, it } from 'vitest'
import type { Storage } from '../../src-main/storage/storage.ts'
import { setup } from '../support/core.ts'

const TOKEN = 'a-token-of-the-user'

async function withFailed(errors: readonly string[]) {
  const service = await setup()
  await service.createEndpoint('e', { env: { API_TOKEN: TOKEN } })
  const worker = await service.worker('e')
  const ids: string[] = []
  for (const error of errors) {
    const id = await service.run({ prompt: 'a lighthouse', key: TOKEN })
    await worker.take()
    await worker.done(id, { error })
    ids.push(id)
  }
  const search = async (q: string, more = '') =>
    (await service.get(`/api/jobs?q=${encodeURIComponent(q)}${more}`)).requests
  const found = async (q: string, more = '') =>
    (await search(q, more)).map(({ id }: { readonly id: string }) => ids.indexOf(id))
  return { service, ids, search, found }
}

it('a part of a word finds jobs: camel case and snake case are split', async () => {
  const { found, ids } = await withFailed(['executionTimeout exceeded', 'execution_timeout', 'out of memory'])
  expect(await found('timeout')).toEqual([1, 0])
  expect(await found('imeou')).toEqual([1, 0])
  expect(await found('executionTimeout')).toEqual([1, 0])
  expect(await found('house')).toEqual([2, 1, 0])
  const [id = ''] = ids
  expect(await found(id.replace(/-l1$/, '').slice(-6))).toEqual([0])
})

it('jobs whose error has the phrase come first if that is asked for, page by page', async () => {
  const { found, service } = await withFailed(['timeout exceeded', 'exceeded the timeout', 'a timeout, exceeded', 'no'])
  expect(await found('timeout exceeded')).toEqual([2, 1, 0])
  expect(await found('timeout exceeded', '&order=match')).toEqual([2, 0, 1])
  expect(await found('timeout exceeded', '&order=match&limit=1&offset=1')).toEqual([0])
  expect(await found('timeout exceeded', '&order=match&limit=2&offset=1')).toEqual([0, 1])
  expect(await found('timeout exceeded', '&order=match&endpoint=e&status=FAILED')).toEqual([2, 0, 1])
  const { cursor } = await service.get('/api/jobs?q=timeout&order=match&limit=1')
  expect(await found('timeout exceeded', `&order=match&cursor=${cursor}&offset=2`)).toEqual([1])
})

it('a found job has the words around, without secrets', async () => {
  const { search } = await withFailed(['the timeout of it'])
  const [{ found }] = await search('timeout', '&previews=true')
  expect(found).toEqual([marked('error', 'the ', 'timeout', ' of it')])
  const [byInput] = await search('lighthouse', '&previews=true')
  const ofInput = marked('input', '…', 'lighthouse', '","key":"***"}')
  expect(byInput.found).toEqual([ofInput])
  const [byBoth] = await search('timeout lighthouse', '&previews=true')
  expect(byBoth.found).toEqual([marked('error', 'the ', 'timeout', ' of it'), ofInput])
})

const marked = (place: string, before: string, match: string, after: string) => ({
  in: place,
  parts: [
    { text: before, isMatch: false },
    { text: match, isMatch: true },
    { text: after, isMatch: false },
  ],
})

it.each([
  '"',
  '*',
  'AND OR NOT',
  'NEAR(a b)',
  'error : x',
  '{text} : x',
  "'; DROP TABLE jobs; --",
  '\u0000',
  '^a',
  'a*b',
])('hostile text %j is no syntax', async (typed) => {
  const { service } = await withFailed([])
  for (const more of ['', '&order=match', '&order=match&endpoint=e'])
    expect((await service.ask('GET', `/api/jobs?q=${encodeURIComponent(typed)}${more}`)).status).toBe(200)
})

it('a text of 10,000 letters is refused', async () => {
  const { service } = await withFailed([])
  expect((await service.ask('GET', `/api/jobs?q=${'a'.repeat(10_000)}`)).status).toBe(400)
})

it.each(['jobs?', 'job-count?', 'job-states?'])('a search by %s ends with its request', async (path) => {
  const signals: (AbortSignal | undefined)[] = []
  const noting =
    <Asked extends { readonly signal?: AbortSignal | undefined }, Result>(ask: (asked: Asked) => Result) =>
    (asked: Asked) => {
      signals.push(asked.signal)
      return ask(asked)
    }
  const notingAll = ({ search, countFound, countByState, ...others }: Storage['jobs']): Storage['jobs'] => ({
    ...others,
    search: noting(search),
    countFound: noting(countFound),
    countByState: noting(countByState),
  })
  const service = await setup({ storage: (storage) => ({ ...storage, jobs: notingAll(storage.jobs) }) })
  const gone = new AbortController()
  await service.request('GET', `/api/${path}q=keel.`, { signal: gone.signal })
  gone.abort()
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})
