import { expect, test } from 'vitest'
import { findExcerpts } from '../../../../src-main/features/jobs/rules/search-excerpt.ts'
import { termsOf, wordsOf } from '../../../../src-main/features/jobs/rules/search-words.ts'

const MOST = { terms: 10_000, letters: 80_000 }

const has = (text: string, part: string) => termsOf(text, MOST).some((term) => term.startsWith(part))

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
  expect(termsOf('6a0d1f3fa2c1 1234567', MOST)).toEqual(['6a0d1f3fa2c1', '1234567'])
})

test('long base64 has no terms, and what stands around it has', () => {
  const png = Buffer.from(Array.from({ length: 30_000 }, (_byte, at) => (at * 7919) % 256)).toString('base64')
  const terms = termsOf(`{"image":"data:image/png;base64,${png}","prompt":"lighthouse"}`, MOST)
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
  expect(termsOf(text, { ...MOST, terms: 1000 })).toHaveLength(1000)
})

const marked = (...[typed, texts]: Parameters<typeof findExcerpts>) =>
  findExcerpts(typed, texts).excerpts.map(
    (found) => `${found.in}: ${found.parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')}`,
  )

test('an excerpt is of the phrase where there is one, and errors come first', () => {
  const error = `${'x '.repeat(50)}RuntimeError: executionTimeout\nexceeded after 3 s`
  const texts = [
    ['error', error],
    ['input', 'a timeout'],
  ] as const
  expect(marked('timeout exceeded', texts)).toEqual(['error: …execution[Timeout exceeded] after 3 s'])
  expect(marked('?!', [['input', 'x']])).toEqual([])
  expect(marked('nothing', [['input', 'x']])).toEqual([])
})

test('an excerpt marks every searched word', () => {
  expect(marked('late boat', [['input', 'the Boat is late']])).toEqual(['input: the [Boat] is [late]'])
  expect(marked('boat timeout', [['input', 'the Boat: boat timeout and TimeoutError']])).toEqual([
    'input: the [Boat]: [boat timeout] and [Timeout]Error',
  ])
})

test('words that only several texts have are marked in as few texts as possible', () => {
  const texts = [
    ['error', undefined],
    ['output', 'a boat'],
    ['input', 'the timeout of a boat'],
  ] as const
  expect(marked('boat timeout', texts)).toEqual(['input: the [timeout] of a [boat]'])
  expect(marked('a boat sails', [...texts, ['error', 'it sails']])).toEqual(['output: [a] [boat]', 'error: it [sails]'])
  expect(marked('boat harbour', [...texts, ['output', 'a harbour']])).toEqual(['output: a [boat]'])
  expect(findExcerpts('boat harbour', texts).hasAllWords).toBe(false)
})

test('an excerpt shows searched words that stand far apart', () => {
  const text = `the boat ${'sails on '.repeat(40)}with tqdm at noon`
  expect(marked('tqdm boat', [['input', text]])).toEqual([
    'input: the [boat] sails on sails on s … on with [tqdm] at noon',
  ])
})

test('an excerpt of hostile text takes no time', () => {
  const typed = 'a '.repeat(250)
  const text = 'a-'.repeat(8000)
  const before = process.hrtime.bigint()
  findExcerpts(`${typed}b`, [['input', text]])
  expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(1000)
})
