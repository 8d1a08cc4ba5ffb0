import { expect, test } from 'vitest'
import { findExcerpt } from '../../../../src-main/domain/job/search-excerpt.ts'
import { termsOf, wordsOf } from '../../../../src-main/domain/job/search-words.ts'

const has = (text: string, part: string) => termsOf(text, 10_000).some((term) => term.startsWith(part))

test.each([
  ['executionTimeout exceeded', ['execution', 'timeout', 'exceeded']],
  ['execution_timeout_ms', ['execution', 'timeout', 'ms']],
  ['HTTPServer v2Turbo', ['http', 'server', 'v2', 'turbo']],
  ['9B0C7A52-93d4', ['9b0c7a52', '93d4']],
  ['größe 東京', ['größe', '東京']],
  ['"* NOT (', ['not']],
])('the words of %j are %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test.each(['timeout', 'Timeo'.toLowerCase(), 'meo', 'exceeded', 'executiontimeout', 'tion'])(
  'executionTimeout exceeded is found by %j',
  (part) => {
    expect(has('executionTimeout exceeded', part)).toBe(true)
  },
)

test('numbers and ids are found by their beginning alone, so that they add few terms', () => {
  expect(termsOf('6a0d1f3fa2c1 1234567', 100)).toEqual(['6a0d1f3fa2c1', '1234567'])
})

test('long base64 has no terms, and what stands around it has', () => {
  const png = Buffer.from(Array.from({ length: 30_000 }, (_byte, at) => (at * 7919) % 256)).toString('base64')
  const terms = termsOf(`{"image":"data:image/png;base64,${png}","prompt":"lighthouse"}`, 10_000)
  expect(terms.length).toBeLessThan(40)
  expect(terms).toContain('lighthouse')
  expect(terms).toContain('house')
})

test('a path and a long word of a language without spaces keep their terms', () => {
  expect(has(`/home/ada/projects/${'deep/'.repeat(20)}handler`, 'handler')).toBe(true)
  expect(has('機械学習の推論サーバーは要求を受け取る', 'サーバー')).toBe(true)
})

test('terms of one text are bounded', () => {
  const text = Array.from({ length: 50_000 }, (_word, at) => `word${at}x`).join(' ')
  expect(termsOf(text, 1000)).toHaveLength(1000)
})

test('an excerpt is of the phrase where there is one, else of the first word, and errors come first', () => {
  const error = `${'x '.repeat(50)}RuntimeError: executionTimeout\nexceeded after 3 s`
  expect(
    findExcerpt('timeout exceeded', [
      ['error', error],
      ['input', 'a timeout'],
    ]),
  ).toEqual({
    in: 'error',
    before: '…execution',
    match: 'Timeout exceeded',
    after: ' after 3 s',
  })
  const found = findExcerpt('boat timeout', [
    ['error', undefined],
    ['input', 'the Boat is late'],
  ])
  expect(found).toEqual({ in: 'input', before: 'the ', match: 'Boat', after: ' is late' })
  expect(findExcerpt('?!', [['input', 'x']])).toBe(undefined)
  expect(findExcerpt('nothing', [['input', 'x']])).toBe(undefined)
})

test('an excerpt of hostile text takes no time', () => {
  const typed = 'a '.repeat(250)
  const text = 'a-'.repeat(8000)
  const before = process.hrtime.bigint()
  findExcerpt(`${typed}b`, [['input', text]])
  expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(1000)
})
