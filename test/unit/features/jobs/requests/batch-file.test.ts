import { describe, expect, test } from 'vitest'
import { limit } from '../../../../../src-main/contract/limits.ts'
import {
  checkInputs,
  type FileFormat,
  piecesOf,
  readInputs,
} from '../../../../../src-main/features/batches/rules/file.ts'

async function* pieces(text: string, size = 3) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const inputsOf = async (text: string, format: FileFormat = 'jsonl') => {
  const read = await Array.fromAsync(readInputs(pieces(text), format))
  return read.map((one) => [one.line, 'request' in one ? JSON.parse(one.request) : one.problem])
}

describe('JSON lines', () => {
  test('are inputs or requests, whatever their ends; empty lines are left out, and numbers stay as written', async () => {
    expect(await inputsOf('\uFEFF{"n":1}\r\n\n{"input":{"n":2},"policy":{"ttl":60000}}\n  \n{"n":3}')).toEqual([
      [1, { input: { n: 1 } }],
      [3, { input: { n: 2 }, policy: { ttl: 60_000 } }],
      [5, { input: { n: 3 } }],
    ])
    const [large] = await Array.fromAsync(readInputs(pieces('{"n":12345678901234567890}'), 'jsonl'))
    expect(large).toEqual({ line: 1, request: '{"input":{"n":12345678901234567890}}' })
  })

  test('that are no objects are named', async () => {
    expect(await inputsOf('[1]\n"a"\nnull\n{')).toEqual([
      [1, expect.stringContaining('not an object')],
      [2, expect.stringContaining('not an object')],
      [3, expect.stringContaining('not an object')],
      [4, 'not valid JSON'],
    ])
  })
})

describe('CSV', () => {
  test('keeps numbers, words and JSON; quoted cells may hold commas, quotes and lines', async () => {
    const text = 'n,text,more\n1,"a, ""b""\nc",{}\n007,true,"{""x"": [1]}"\n,"1",\n'
    expect(await inputsOf(text, 'csv')).toEqual([
      [2, { input: { n: 1, text: 'a, "b"\nc', more: {} } }],
      [4, { input: { n: '007', text: true, more: { x: [1] } } }],
      [5, { input: { text: 1 } }],
    ])
  })

  test.each([
    ['a,a\n1,2', 1, 'two columns are called a, and it is the header'],
    ['a,\n1,2', 1, 'column 2 has no name, and it is the header'],
    ['a,b\n1', 2, '1 cell, but the header has 2'],
    ['a\nx"y"', 2, 'a quote is inside a cell that does not begin with one'],
    ['a\n"x"y', 2, 'text follows a closed quote'],
    ['a\n"x\ny', 2, 'a quote is not closed'],
  ])('%j is refused with the line', async (text, line, why) => {
    expect(await inputsOf(text, 'csv')).toEqual([[line, why]])
  })
})

test('a batch holds so many inputs and no more', async () => {
  const most = limit('batchInputs')
  const check = async (count: number) => checkInputs(readInputs(pieces('{}\n'.repeat(count), 100_000), 'jsonl'))
  expect(await check(most - 1)).toEqual({ total: most - 1, problems: [] })
  expect(await check(most)).toEqual({ total: most, problems: [] })
  expect((await check(most + 1)).problems).toEqual([
    `line ${most + 1}: one more than a batch holds, which is ${most} inputs`,
  ])
})

test('a line is as long as a request at most, and only its own text is held', async () => {
  const most = limit('runBodyBytes')
  const input = (length: number) => `{"input":"${'x'.repeat(length - '{"input":""}'.length)}"}`
  const check = (text: string) => checkInputs(readInputs(pieces(text, 1_000_000), 'jsonl'))
  for (const length of [most - 1, most]) expect((await check(input(length))).problems).toEqual([])
  expect((await check(`{}\n${input(most + 1)}\n{}`)).problems).toEqual([expect.stringMatching(/^line 2: longer than/)])
})

test('pieces keep the numbers of lines and go on after one', async () => {
  const read = () => readInputs(pieces('{"n":1}\n\n{"n":3}\n{"n":4}\n'), 'jsonl')
  expect(await Array.fromAsync(piecesOf(read(), 0))).toEqual([
    { from: 1, text: '{"input":{"n":1}}\n\n{"input":{"n":3}}\n{"input":{"n":4}}\n', inputs: 3 },
  ])
  expect(await Array.fromAsync(piecesOf(read(), 3))).toEqual([{ from: 4, text: '{"input":{"n":4}}\n', inputs: 1 }])
})
