/** Endless or huge errors of a server stay readable, and are there at once. */
import { expect, it } from 'vitest'
import { readRefusal } from '../../../../resources/node/comfyui/prompt/refusal.ts'
import { listResults } from '../../../../resources/node/comfyui/results/list-results.ts'
import { comfyServerAt, noJsonSentence, shownText } from '../../../../resources/node/comfyui/server/comfy-server.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject } from '../../../../src-main/lib/json/value.ts'

function objectOf(value: unknown): JsonObject {
  const parsed = parseJson(JSON.stringify(value))
  if (isObject(parsed)) return parsed
  throw new Error('this is no object')
}

it.each([
  ['scripts that do not end', '<html>', '<script>'],
  ['styles that do not end', '<html>', '<style'],
  ['blanks', 'x', ' \t'],
])('a page of many %s is told by its first words', (_what, before, part) => {
  const text = before + part.repeat(2_000_000)
  const sentence = noJsonSentence(comfyServerAt('http://127.0.0.1:8188'), {
    status: 200,
    text,
    url: '',
    statusText: 'OK',
  })
  expect(sentence).toContain('is not a ComfyUI server')
  expect(sentence.length).toBeLessThan(500)
})

it('a password with a bare percent sign is sent as it is', () => {
  const { headers } = comfyServerAt('http://me:50%off@127.0.0.1:8188')
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from('me:50%off').toString('base64')}` })
})

it('an answer of megabytes is shown by its beginning', () => {
  expect(shownText('short')).toBe('short')
  expect(shownText('x'.repeat(5_000_000))).toMatch(/^x{2000} \.\.\. \(5000000 characters\)$/)
})

it('a refusal of ten thousand nodes names the first ones', () => {
  const fault = { class_type: 'A', errors: [{ message: 'm'.repeat(20_000), details: '' }] }
  const nodes = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [at, at < 3 ? fault : { class_type: 'A' }]),
  )
  const { message, facts } = readRefusal(objectOf({ error: 'e'.repeat(1e6), node_errors: nodes }), 'text')
  expect(facts).toMatchObject({ node: '0', class: 'A' })
  expect(message.split('\n')).toHaveLength(101)
  expect(Math.max(...message.split('\n').map(({ length }) => length))).toBeLessThan(10_010)
})

it('of a hundred thousand results the first thousand are fetched, and it says so', () => {
  const images = Array.from({ length: 100_000 }, (_, at) => ({ filename: `${at}.png`, subfolder: '', type: 'output' }))
  const { results, faults } = listResults(objectOf({ 9: { images } }))
  expect(results).toHaveLength(1000)
  expect(faults).toEqual(['99000 more results were left out: the limit of a job is 1000.'])
})
