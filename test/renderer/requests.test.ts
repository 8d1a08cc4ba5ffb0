import { describe, expect, test } from 'vitest'
import { lacksInput, optionOf, readBody, withOption } from '../../src-renderer/features/requests/jobs/job-draft.ts'
import { type JobResponse, sendJob } from '../../src-renderer/features/requests/jobs/responses.ts'
import { difference, toBins } from '../../src-renderer/features/requests/load/stats.ts'
import { eventReader } from '../../src-renderer/features/requests/web/send-web.ts'
import {
  EMPTY_WEB_DRAFT,
  readHeaders,
  sentHeaders,
  webProblem,
} from '../../src-renderer/features/requests/web/web-draft.ts'
import { jsonCursor } from '../../src-renderer/ui/editor/completion.ts'
import { findParts } from '../../src-renderer/ui/output/OutputPartView.tsx'
import { testClient } from './support.tsx'

describe('the body of a job', () => {
  test('is an object with an input that is one', () => {
    expect(readBody('{"input": {}}')).toEqual({ ok: true, value: { input: {} } })
    for (const [text, problem] of [
      ['{', /Not valid JSON yet/],
      ['[]', /A body is a JSON object/],
      ['null', /A body is a JSON object/],
      ['{"prompt": 1}', /needs an "input"/],
      ['{"input": []}', /needs an "input"/],
    ] as const)
      expect(readBody(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
    expect(['{"a": 1}', '{"input": 1}', '[]', '{'].map(lacksInput)).toEqual([true, false, false, false])
  })

  test('holds its options, which are set and taken out without a trace', () => {
    const body = '{"input": {"policy": {"ttl": 1}}}'
    const set = withOption(withOption(body, 'ttl', 20_000), 'webhook', 'http://x/')
    expect(JSON.parse(set)).toEqual({
      input: { policy: { ttl: 1 } },
      policy: { ttl: 20_000 },
      webhook: 'http://x/',
    })
    expect(optionOf(JSON.parse(set), 'ttl')).toBe(20_000)
    const taken = withOption(withOption(set, 'ttl', undefined), 'webhook', undefined)
    expect(JSON.parse(taken)).toEqual(JSON.parse(body))
    expect(JSON.parse(withOption('{"input":{},"policy":1}', 'lowPriority', true))).toEqual({
      input: {},
      policy: { lowPriority: true },
    })
  })

  test('keeps every digit of a long number when an option is set', () => {
    const body = '{"input": {"seed": 18446744073709551615}}'
    expect(withOption(body, 'ttl', 20_000)).toContain('"seed": 18446744073709551615')
  })
})

describe('a job that is sent', () => {
  async function send(operation: JobResponse['operation'], answers: Record<string, unknown>) {
    const { client, calls } = testClient(answers)
    let answer: Partial<JobResponse> = {}
    const abort = new AbortController()
    await sendJob({
      client,
      now: () => 7,
      endpointId: 'e',
      operation,
      body: '{"input":{}}',
      signal: abort.signal,
      onChange: (change) => {
        answer = { ...answer, ...change }
      },
    })
    return { answer, asked: calls.map((call) => call.operation) }
  }
  const ended = { id: 'j', status: 'COMPLETED', output: 1 }

  test('with runsync is waited for further where its time was over', async () => {
    const { answer, asked } = await send('runsync', { runsync: { id: 'j', status: 'IN_QUEUE' }, statusSync: ended })
    expect(answer).toEqual({ jobId: 'j', record: ended, endedAt: 7 })
    expect(asked).toEqual(['runsync', 'statusSync'])
  })

  test('with stream is read until it has ended and nothing is left', async () => {
    const reads = [
      { status: 'IN_PROGRESS', stream: [] },
      { status: 'IN_PROGRESS', stream: [{ output: 'a' }] },
      { status: 'COMPLETED', stream: [{ output: 'b' }] },
      { status: 'COMPLETED', stream: [] },
    ]
    const { answer } = await send('stream', { run: { id: 'j' }, stream: () => reads.shift(), status: ended })
    expect(answer).toMatchObject({ chunks: ['a', 'b'], record: ended })
  })

  test('that is refused says why', async () => {
    const refuse = () => Promise.reject(new Error('no'))
    expect((await send('run', { run: refuse })).answer).toEqual({ error: new Error('no'), endedAt: 7 })
  })
})

describe('a request to a load-balanced endpoint', () => {
  test('has headers that a browser lets a page send', () => {
    expect(readHeaders('A: b: c\n\n x-y : 1 ')).toEqual({
      pairs: [
        ['A', 'b: c'],
        ['x-y', '1'],
      ],
      problem: undefined,
    })
    expect(readHeaders('nothing').problem).toMatch(/is not a header/)
    expect(readHeaders('Sec-Fetch-Site: none').problem).toMatch(/set by the browser/)
    expect(readHeaders('authorization: Bearer x').problem).toMatch(/workers never see it/)
  })

  test('says the type of its body where nobody else does', () => {
    const draft = { ...EMPTY_WEB_DRAFT, method: 'POST', bodyKind: 'JSON' } as const
    expect(sentHeaders(draft, undefined)).toEqual([['Content-Type', 'application/json']])
    expect(sentHeaders({ ...draft, headers: 'content-type: a/b' }, undefined)).toEqual([['content-type', 'a/b']])
    expect(sentHeaders({ ...draft, method: 'GET' }, undefined)).toEqual([])
    expect(webProblem({ ...draft, body: '{' }, undefined)).toMatch(/Not valid JSON/)
    expect(webProblem({ ...draft, method: 'GET', body: '{' }, undefined)).toBe(undefined)
    expect(webProblem({ ...draft, bodyKind: 'file' }, undefined)).toMatch(/Choose the file/)
  })

  test('stays with its endpoint, however the way out is spelled', () => {
    for (const path of ['/../../api/x', '/%2e%2e/%2E./x', '/..', '/a/..\\..\\..\\x', '/\t../..'])
      expect([path, webProblem({ ...EMPTY_WEB_DRAFT, path }, undefined)]).toEqual([path, expect.any(String)])
    for (const path of ['/', '/a/../b', '/..a', '/a?x=/../..'])
      expect([path, webProblem({ ...EMPTY_WEB_DRAFT, path }, undefined)]).toEqual([path, undefined])
  })

  test('gives events as they become whole, wherever the bytes were cut', () => {
    const read = eventReader()
    const bytes = new TextEncoder().encode('event: a\r\ndata: ä1\ndata: 2\n\n: note\n\ndata:3\n\nda')
    const events = [...bytes].flatMap((_byte, at) => read(bytes.slice(at, at + 1)))
    expect(events).toEqual([
      { name: 'a', data: 'ä1\n2' },
      { name: 'message', data: '3' },
    ])
  })
})

describe('a histogram', () => {
  test('has bars of the same number of buckets, for both tests', () => {
    const bins = toBins([{ 0: 1, 9: 2 }, { 4: 5 }], 5)
    expect(bins.map(({ counts }) => counts)).toEqual([
      [1, 0],
      [0, 0],
      [0, 5],
      [0, 0],
      [2, 0],
    ])
    expect(bins[0]?.from).toBe(0)
    expect(bins.at(-1)?.to).toBeCloseTo(1.1 ** 9)
    expect(toBins([], 5)).toEqual([])
  })

  test('is compared in percent where there is something to compare with', () => {
    expect(difference(150, 100)).toBe(50)
    expect(difference(1, 0)).toBe(undefined)
    expect(difference(undefined, 1)).toBe(undefined)
  })
})

describe('the place in a JSON text', () => {
  const at = (text: string) => jsonCursor(text.replace('|', ''), text.indexOf('|'))
  test.each([
    ['{|', { kind: 'name', path: [], from: 1, written: '' }],
    ['{"in|', { kind: 'name', path: [], from: 1, written: 'in' }],
    ['{"input": {"a": 1, "b|', { kind: 'name', path: ['input'], from: 19, written: 'b' }],
    ['{"input": {"a": |', { kind: 'value', path: ['input', 'a'], from: 16, written: '' }],
    ['{"input": {"a": tr|}}', { kind: 'value', path: ['input', 'a'], from: 16, written: 'tr' }],
    ['{"input": {"a": [{"c": "x|', { kind: 'value', path: ['input', 'a', 'c'], from: 23, written: 'x' }],
    ['{"a": {"b": {}}, |', { kind: 'name', path: [], from: 17, written: '' }],
    ['{"a" |', undefined],
    ['{"a": 1 |', undefined],
    ['|', undefined],
  ])('%s', (text, place) => {
    expect(at(text)).toEqual(place)
  })
})

describe('an output', () => {
  const png = `iVBORw0KGgo${'A'.repeat(80)}`
  test('has parts that are looked at', () => {
    expect(
      findParts({
        images: [{ data: png, type: 'base64' }, { data: `data:image/webp;base64,${png}` }],
        song: `SUQz${'a'.repeat(60)}`,
        at: 'https://example.com/a.png',
        text: 'two\nlines',
        n: 'short',
      }).map((part) => [part.kind, part.path]),
    ).toEqual([
      ['image', 'images[0].data'],
      ['image', 'images[1].data'],
      ['audio', 'song'],
      ['link', 'at'],
      ['text', 'text'],
    ])
  })

  test('that is a word is a text, and a hostile address is no link', () => {
    expect(findParts('well')).toEqual([{ kind: 'text', path: '', text: 'well' }])
    expect(findParts({ a: 'javascript:alert(1)', b: 'data:text/html,<script>' })).toEqual([])
  })

  test('of a million entries is not searched to its end', () => {
    expect(findParts(Array.from({ length: 1_000_000 }, () => png)).length).toBe(50)
    expect(findParts({ a: Array.from({ length: 1_000_000 }, (_entry, at) => at), z: 'x\ny' })).toEqual([])
  })
})
