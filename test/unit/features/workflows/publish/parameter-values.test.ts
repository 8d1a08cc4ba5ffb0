import { describe, expect, test } from 'vitest'
import type { GraphParameter } from '../../../../../src-main/contract/published.ts'
import { parameterValues } from '../../../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const place = { node: '3', input: 'x' } as const
const PARAMETERS: readonly GraphParameter[] = [
  { ...place, name: 'prompt', type: 'string' },
  { ...place, name: 'seed', type: 'integer', default: '0', min: '0', max: '18446744073709551615' },
  { ...place, name: 'cfg', type: 'number', default: '7.0', min: '1', max: '20' },
  { ...place, name: 'sampler', type: 'choice', default: '"euler"', choices: ['euler', 'heun', '2'] },
  { ...place, name: 'tiled', type: 'boolean', default: 'false' },
]

const read = (text: string) => parameterValues(PARAMETERS, objectOf(text))

test('a parameter missing in a request has its default, with the text of its number', () => {
  const found = read('{"prompt": "a lamp"}')
  expect('values' in found && [...found.values]).toEqual([
    ['prompt', 'a lamp'],
    ['seed', { number: '0' }],
    ['cfg', { number: '7.0' }],
    ['sampler', 'euler'],
    ['tiled', false],
  ])
})

test('the largest seed passes as it is', () => {
  const found = read('{"prompt": "", "seed": 18446744073709551615}')
  expect('values' in found && found.values.get('seed')).toEqual({ number: '18446744073709551615' })
})

describe('a request is refused with the name of the field', () => {
  test.each([
    ['{}', 'input.prompt', 'is missing, and has no default; give a string'],
    ['{"prompt": 1}', 'input.prompt', 'is 1, but must be a string'],
    ['{"prompt": "", "seed": 18446744073709551616}', 'input.seed', /maximum is 18446744073709551615$/],
    ['{"prompt": "", "seed": -1}', 'input.seed', 'is -1, but the minimum is 0'],
    ['{"prompt": "", "seed": 1.5}', 'input.seed', 'is 1.5, but must be a whole number'],
    ['{"prompt": "", "seed": "1"}', 'input.seed', 'is "1", but must be a whole number'],
    ['{"prompt": "", "cfg": 20.5}', 'input.cfg', 'is 20.5, but the maximum is 20'],
    ['{"prompt": "", "sampler": "lms"}', 'input.sampler', 'is "lms", but must be one of euler, heun, 2'],
    ['{"prompt": "", "tiled": 1}', 'input.tiled', 'is 1, but must be true or false'],
    ['{"prompt": "", "promt": ""}', 'input.promt', /^is not a parameter of this graph; it has prompt, seed/],
    ['{"prompt": "", "__proto__": 1}', 'input.__proto__', /^is not a parameter/],
  ])('%s', (text, field, why) => {
    const found = read(text)
    expect(found).toEqual({ field, why: typeof why === 'string' ? why : expect.stringMatching(why) })
  })
})

test('a choice of numbers is given as a number', () => {
  expect('values' in read('{"prompt": "", "sampler": 2}')).toBe(true)
})
