import { expect, test } from 'vitest'
import { answerTexts, cutText, withoutSecrets } from '../../../../src-main/app/mcp/answer-text.ts'
import { limit } from '../../../../src-main/contract/limits.ts'

const KEY = `dk_${'k'.repeat(43)}`

test.each([
  ['a key of the service', `started with ${KEY}`, 'started with (hidden)'],
  ['a header', 'Authorization: Bearer abcdef0123456789', 'Authorization: Bearer (hidden)'],
  ['a password in an address', 'GET https://ada:pw@host/x', 'GET https://(hidden)@host/x'],
  ['a token in an address', 'https://host/x?a=1&access_token=abc&b=2', 'https://host/x?a=1&access_token=(hidden)&b=2'],
  ['a signature in an address', 'https://host/x?X-Amz-Signature=abc', 'https://host/x?X-Amz-Signature=(hidden)'],
  ['a key of a public service', `token hf_${'a'.repeat(34)}`, 'token (hidden)'],
])('%s is hidden in a text', (_what, text, shown) => {
  expect(withoutSecrets(text)).toBe(shown)
})

test('the key that is in use is hidden wherever it occurs, whatever it looks like', () => {
  expect(withoutSecrets('x=plain-key;', 'plain-key')).toBe('x=(hidden);')
  const [text] = answerTexts({ data: { log: ['x plain-key y'] } }, { rest: '', own: 'plain-key' })
  expect(text).not.toContain('plain-key')
})

test('values of variables, headers and fields of secrets are hidden, and their names stay', () => {
  const data = { env: { TOKEN: 'abc' }, list: [{ env: { A: 'b' } }], password: 'pw', headers: { cookie: 'c' }, n: 1 }
  expect(JSON.parse(answerTexts({ data }, { rest: '' })[0] ?? '')).toEqual({
    env: { TOKEN: '(hidden)' },
    list: [{ env: { A: '(hidden)' } }],
    password: '(hidden)',
    headers: { cookie: '(hidden)' },
    n: 1,
  })
})

test('long whole numbers keep all their digits', () => {
  expect(answerTexts({ data: { seed: 18446744073709551615n } }, { rest: '' })[0]).toContain('18446744073709551615')
})

const most = limit('mcpTextCharacters')

test.each([
  [most - 1, most - 1],
  [most, most],
  [most + 1, most + '… (1 more characters)'.length],
])('a text of %i characters becomes one of %i', (length, shown) => {
  expect(cutText('x'.repeat(length))).toHaveLength(shown)
})

test('an answer above its limit is cut, and says how to get the rest', () => {
  const whole = limit('mcpOutputCharacters')
  // The answer is a JSON text of many short ones; its quotes, commas and lines count.
  const ofLength = (length: number) => {
    const rows = Array.from({ length: 10 }, () => 'x'.repeat(3000))
    const used = JSON.stringify(rows, undefined, 1).length
    return [...rows, 'y'.repeat(length - used - ',\n ""'.length)]
  }
  expect(answerTexts({ data: ofLength(whole) }, { rest: 'Ask for less.' })).toHaveLength(1)
  const [text, note] = answerTexts({ data: ofLength(whole + 1) }, { rest: 'Ask for less.' })
  expect(text).toHaveLength(whole)
  expect(note).toBe(`The answer was cut: ${whole} of ${whole + 1} characters are above. Ask for less.`)
})

test('a long text without spaces is looked through once, not from each of its letters', () => {
  const long = 'a'.repeat(1_000_000)
  expect(withoutSecrets(`${long}://${long}`)).toBe(`${long}://${long}`)
  expect(withoutSecrets(`?${long}`)).toBe(`?${long}`)
})
