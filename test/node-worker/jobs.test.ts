/** Jobs of svc-worker: results, streams, progress, errors, log lines. */
import { expect, test } from 'vitest'
import { GATED, started } from './worker-place.ts'

test('the value that a handler returns is the output, whatever kind of function it is', async () => {
  const { service } = await started(`
    const kinds = {
      plain: () => ({ sum: 3 }),
      promise: async () => 'later',
      nothing: () => undefined,
      list: () => [1, 2],
      error: () => ({ error: 'it cannot be', rest: 1 }),
      parts: () => ({ error: { message: 'no', node: '3' } }),
    }
    export const handler = ({ input }) => kinds[input]()`)
  const inputs = ['plain', 'promise', 'nothing', 'list', 'error', 'parts']
  const ids = service.submit(...inputs.map((kind) => JSON.stringify(kind)))
  const results = await Promise.all(ids.map((id) => service.result(id)))
  expect(results).toEqual([
    { output: { sum: 3 } },
    { output: 'later' },
    { output: null },
    { output: [1, 2] },
    { error: 'it cannot be', output: { rest: 1 } },
    { error: '{"message":"no","node":"3"}' },
  ])
  expect(service.calls('job-done')[0]?.authorization).toBe('worker-token')
})

test('numbers that are no doubles come and go as they are written', async () => {
  const { service } = await started(`
    export function handler({ input, inputText }, { rawJson, progress }) {
      progress(rawJson(inputText))
      return input.whole ? rawJson(inputText) : { seed: JSON.rawJSON(/\\d{20}/.exec(inputText)[0]) }
    }`)
  const text = '{"seed": 18446744073709551615, "x":1.0, "s":"}\\"]\\\\"}'
  const whole = `{"whole":true,${text.slice(1)}`
  const [first = '', second = ''] = service.submit(text, whole)
  await Promise.all([first, second].map(service.result))
  const bodies = (id: string) => service.calls('job-done', id).map((call) => call.text)
  expect(bodies(first)).toEqual([
    `{"status":"IN_PROGRESS","output":${text}}`,
    '{"output":{"seed":18446744073709551615}}',
  ])
  expect(bodies(second)[1]).toBe(`{"output":${whole}}`)
})

test('values of generators are streamed in order, and are the output where the file asks for it', async () => {
  const code = `
    export function* handler({ input }) {
      for (let n = 0; n < input; n++) yield { n }
    }`
  const { service } = await started(code.replace('function*', 'async function*'))
  const [id = ''] = service.submit('300')
  expect(await service.result(id)).toEqual({ output: [] })
  expect(service.chunks(id)).toEqual(Array.from({ length: 300 }, (_, n) => ({ n })))
  expect(service.calls('job-done', id)[0]?.query.get('isStream')).toBe('true')

  const other = await started(`${code}\nexport const returnAggregateStream = true`)
  const [sync = ''] = other.service.submit('3')
  expect(await other.service.result(sync)).toEqual({ output: [{ n: 0 }, { n: 1 }, { n: 2 }] })
})

test('an exception fails the job with a stack that begins in the file of the user, and the worker continues', async () => {
  const { service, file, lines } = await started(`
    type Wanted = { name: string }
    async function look(wanted: Wanted) {
      throw new RangeError('no ' + wanted.name, { cause: new Error('below') })
    }
    export const handler = async ({ input }) => (input === 'fine' ? 1 : look({ name: input }))`)
  const [failed = '', fine = ''] = service.submit('"luck"', '"fine"')
  const { error_message, error_type, error_traceback } = JSON.parse((await service.result(failed)).error)
  expect({ error_type, error_message }).toEqual({ error_type: 'RangeError', error_message: 'no luck' })
  const stack = error_traceback.split('\n')
  expect(stack[1]).toContain(`${file}:4:`)
  expect(error_traceback).not.toContain('svc-worker')
  expect(error_traceback).toContain('Caused by: Error: below')
  expect(await service.result(fine)).toEqual({ output: 1 })
  expect(lines(failed)).toMatchObject([{ level: 'ERROR', message: expect.stringMatching(/^job failed\nRangeError/) }])
})

test('an output that is no JSON fails the job and says which part of it', async () => {
  const { service } = await started(`
    const loop = {}
    loop.again = loop
    const values = [{ a: [1, NaN] }, { seed: 2n ** 64n }, { found: new Map() }, { loop }]
    export const handler = ({ input }) => values[input]`)
  const ids = service.submit('0', '1', '2', '3')
  const errors = await Promise.all(ids.map(async (id) => JSON.parse((await service.result(id)).error).error_message))
  expect(errors).toEqual([
    'output.a[1] is NaN, which JSON cannot hold; return null or a string instead',
    'output.seed is a BigInt, which JSON cannot hold; return JSON.rawJSON(String(value)) or a string',
    'output.found is a Map, which JSON cannot hold; return an object or an array',
    'output.loop.again contains itself, which JSON cannot hold',
  ])
})

test('output of several jobs at once carries the job that printed it', async () => {
  const { service, lines, open } = await started(
    `${GATED}
    export const concurrency = 2
    console.log('loaded')
    export async function handler({ input }, { signal }) {
      process.stdout.write(input + ' beg')
      console.warn('%s is %d', input, 7)
      await gate('both', signal)
      process.stdout.write('ins\\n' + input + ' ends')
    }`,
  )
  const [one = '', other = ''] = service.submit('"one"', '"other"')
  open('both')
  await Promise.all([one, other].map(service.result))
  const said = (id: string, name: string) =>
    expect(lines(id)).toEqual([
      { requestId: id, message: `${name} is 7`, level: 'WARN' },
      { requestId: id, message: `${name} begins`, level: 'INFO' },
      { requestId: id, message: `${name} ends`, level: 'INFO' },
    ])
  said(one, 'one')
  said(other, 'other')
  expect(lines(undefined)).toEqual([{ message: 'loaded', level: 'INFO' }])
})
