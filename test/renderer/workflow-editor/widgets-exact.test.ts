import { describe, expect, test } from 'vitest'
import type { InputType } from '../../../src-main/features/workflows/rules/input-type.ts'
import { randomWhole } from '../../../src-main/features/workflows/rules/resolve/next-value.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import type { JsonValue } from '../../../src-main/lib/json/value.ts'
import {
  offStep,
  readNumber,
  stepNumber,
  wholeBounds,
} from '../../../src-renderer/features/workflow-editor/widgets/exact-number.ts'
import { changeWeight } from '../../../src-renderer/features/workflow-editor/widgets/prompt-weight.ts'
import { assetName, nameInWidget } from '../../../src-renderer/features/workflow-editor/widgets/upload-asset.ts'
import {
  choicesOf,
  findChoices,
  withChoice,
} from '../../../src-renderer/features/workflow-editor/widgets/widget-kind.ts'

const MOST = '18446744073709551615'

function jsonOf(text: string): JsonValue {
  const parsed = parseJson(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}

function input(type: 'INT' | 'FLOAT', options: Readonly<Record<string, string>> = {}): InputType {
  const all = new Map(Object.entries(options).map(([key, value]) => [key, jsonOf(value)]))
  return { name: 'n', isRequired: true, type, choices: undefined, options: all }
}

describe('a number that is typed', () => {
  test.each([
    ['INT', MOST, MOST],
    ['INT', '+7', '7'],
    ['INT', '007', '7'],
    ['INT', ' -3 ', '-3'],
    ['INT', '7.5', undefined],
    ['INT', '1e3', undefined],
    ['INT', '', undefined],
    ['FLOAT', '7.0', '7.0'],
    ['FLOAT', '0.10', '0.10'],
    ['FLOAT', '1e-3', '1e-3'],
    ['FLOAT', '.5', '0.5'],
    ['FLOAT', '5.', '5'],
    ['FLOAT', '-.25', '-0.25'],
    ['FLOAT', '+1.5', '1.5'],
    ['FLOAT', '1,5', undefined],
    ['FLOAT', '-', undefined],
    ['FLOAT', 'NaN', undefined],
    ['FLOAT', '1e999', undefined],
  ] as const)('as %s: %s is %s', (type, typed, wanted) => {
    const number = readNumber(typed, { type })
    expect(number?.number).toBe(wanted)
    if (number !== undefined) expect(jsonOf(number.number)).toEqual(number)
  })
})

describe('a step', () => {
  test.each([
    ['INT', {}, '18446744073709551614', 1, MOST],
    ['INT', { max: MOST }, MOST, 1, MOST],
    ['INT', { min: '0' }, '0', -1, '0'],
    ['INT', { step: '8' }, '512', -1, '504'],
    ['FLOAT', { step: '0.1' }, '0.2', 1, '0.3'],
    ['FLOAT', { step: '0.01', max: '100.0' }, '99.995', 1, '100'],
    ['FLOAT', {}, '1', 1, '1.5'],
    ['FLOAT', { step: '0.1' }, '-0.1', 1, '0'],
    ['FLOAT', { step: '1e-3' }, '0', 2, '0.002'],
    ['FLOAT', { step: '0' }, '1', 1, '1.5'],
  ] as const)('of %s %o from %s by %s is %s', (type, options, from, steps, wanted) => {
    expect(stepNumber({ number: from }, input(type, options), steps)?.number).toBe(wanted)
  })

  test('of a non-numeric text is undefined', () => {
    expect(stepNumber('abc', input('INT'), 1)).toBe(undefined)
  })

  test('of a class suggests the nearest multiples for a number between them', () => {
    const width = input('INT', { min: '16', step: '8' })
    expect([offStep({ number: '515' }, width), offStep({ number: '512' }, width)]).toEqual([['512', '520'], undefined])
    expect(offStep({ number: '0.37' }, input('FLOAT', { step: '0.1' }))).toBe(undefined)
  })
})

test('the bounds of a seed are exact, and of no bounds the usual ones', () => {
  expect(wholeBounds(input('INT', { min: '0', max: MOST }))).toEqual([0n, 2n ** 64n - 1n])
  expect(wholeBounds(input('INT'))).toEqual([0n, 2048n])
  expect(wholeBounds(input('INT', { min: '5', max: '3' }))).toEqual([5n, 5n])
})

describe('a random seed', () => {
  test('reaches both ends of its range', () => {
    const seed = (byte: number) => randomWhole([0n, 255n], (bytes) => bytes.fill(byte))
    expect([seed(0), seed(255)]).toEqual([0n, 255n])
  })

  test('covers 64 bits', () => {
    const seeds = Array.from({ length: 200 }, () =>
      randomWhole([0n, 2n ** 64n - 1n], (bytes) => crypto.getRandomValues(bytes)),
    )
    expect(seeds.every((seed) => seed >= 0n && seed < 2n ** 64n)).toBe(true)
    expect(seeds.some((seed) => seed > 2n ** 60n)).toBe(true)
  })

  test('is the only value of a one-value range', () => {
    expect(randomWhole([7n, 7n], (bytes) => bytes.fill(99))).toBe(7n)
  })
})

/** `|` marks the ends of the selection. */
function weigh(marked: string, by: number): string | undefined {
  const [before = '', selected, after] = marked.split('|')
  const text = marked.replaceAll('|', '')
  const to = after === undefined ? before.length : before.length + (selected ?? '').length
  const changed = changeWeight({ text, from: before.length, to }, by)
  return (
    changed &&
    `${changed.text.slice(0, changed.from)}|${changed.text.slice(changed.from, changed.to)}|${changed.text.slice(changed.to)}`
  )
}

describe('the weight', () => {
  test.each([
    ['a red| fox', 1, 'a |(red:1.05)| fox'],
    ['a |red fox| runs', 1, 'a |(red fox:1.05)| runs'],
    ['a |red | fox', -1, 'a |(red:0.95)|  fox'],
    ['a |(red:1.05)| fox', 1, 'a |(red:1.1)| fox'],
    ['a (r|ed:1.1) fox', 1, 'a |(red:1.15)| fox'],
    ['a (red|:1.05) fox', -1, 'a |red| fox'],
    ['a ((x:1.2) b|:1.1) c', 1, 'a |((x:1.2) b:1.15)| c'],
    ['(a|:0.05)', -1, '|(a:0)|'],
    ['(a|:0)', -1, '|(a:0)|'],
    ['one, |', 1, undefined],
    ['|', 1, undefined],
    ['(a b|) c', 1, '(a |(b:1.05)|) c'],
  ])('of %s by %s is %s', (marked, by, wanted) => {
    expect(weigh(marked, by)).toBe(wanted)
  })

  test('up and down again is as before', () => {
    const start = { text: 'a red fox', from: 3, to: 3 }
    const up = changeWeight(start, 1)
    expect(up && changeWeight(up, -1)?.text).toBe('a red fox')
  })
})

describe('choices', () => {
  const words = (search: string) =>
    findChoices(
      ['sd_xl_base.safetensors', 'flux1-dev.safetensors', 'base.ckpt'].map((word) => ({ value: word, word })),
      search,
    ).map(({ word }) => word)

  test('are found by all parts in any case; those that begin with it come first', () => {
    expect(words('BASE')).toEqual(['base.ckpt', 'sd_xl_base.safetensors'])
    expect(words('xl safe')).toEqual(['sd_xl_base.safetensors'])
    expect(words('nothing')).toEqual([])
    expect(words(' ')).toHaveLength(3)
  })

  test('that bring further inputs are called by their keys', () => {
    const options = new Map([['options', [new Map([['key', 'small']]), new Map([['key', 'large']])]]])
    const type = { name: 'n', isRequired: true, type: 'COMFY_DYNAMICCOMBO_V3', choices: undefined, options }
    expect(choicesOf(type).map(({ word }) => word)).toEqual(['small', 'large'])
  })

  test('of a multiple choice are added and removed', () => {
    expect(withChoice(undefined, 'a')).toEqual(['a'])
    expect(withChoice(['a', 'b'], 'a')).toEqual(['b'])
    expect(withChoice('a', 'b')).toEqual(['a', 'b'])
  })
})

test('a file that is pasted has a name, one of a disk keeps its own', () => {
  expect(assetName(new File([], 'image.png', { type: 'image/png' }))).toBe('pasted.png')
  expect(assetName(new File([], '', { type: 'image/jpeg' }))).toBe('pasted.jpg')
  expect(assetName(new File([], 'cat.webp', { type: 'image/webp' }))).toBe('cat.webp')
})

test('the folder that a node names next to a file is not part of its name', () => {
  expect(['a.png [input]', 'a.png', 'b [x].png'].map(nameInWidget)).toEqual(['a.png', 'a.png', 'b [x].png'])
})
