import { describe, expect, test } from 'vitest'
import { classesAndModels, mergeClasses } from '../../../../src-main/features/workflows/rules/merge-classes.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { objectOf } from '../../../support/workflow-files.ts'

const merged = (...servers: readonly object[]) =>
  JSON.parse(writeJson(mergeClasses(servers.map((classes) => objectOf(JSON.stringify(classes))))))

const loader = (input: unknown, more: object = {}) => ({ Loader: { input: { required: { name: input } }, ...more } })

describe('classes of several servers as those of one', () => {
  test('are all of them, in the order of the servers, each as the first server defines it', () => {
    const [one, two] = [{ output: ['A'] }, { output: ['B'] }]
    expect(merged({ One: one, Both: one }, { Both: two, Two: two })).toEqual({
      One: one,
      Both: { ...one, input: {} },
      Two: two,
    })
    expect(Object.keys(merged({ One: one }, { Two: two, One: one }))).toEqual(['One', 'Two'])
  })

  test.each([
    ['lists', [['a', 'b'], { tooltip: 't' }], [['b', 'c']], [['a', 'b', 'c'], { tooltip: 't' }]],
    ['lists of numbers', [[1, 2.5]], [[2.5, 3]], [[1, 2.5, 3]]],
    [
      'lists of newer servers',
      ['COMBO', { options: ['a'], default: 'a' }],
      ['COMBO', { options: ['b', 'a'] }],
      ['COMBO', { options: ['a', 'b'], default: 'a' }],
    ],
  ])('offer the choices of all: %s', (_what, one, two, all) => {
    expect(merged(loader(one), loader(two))).toEqual(loader(all))
    expect(merged(loader(one), { Loader: { input: {} } }, loader(two))).toEqual(loader(all))
  })

  test.each([
    ['another kind of input', [['a']], ['STRING', {}]],
    ['another form of list', [['a']], ['COMBO', { options: ['b'] }]],
    ['no list', ['INT', { min: 1 }], ['INT', { min: 2 }]],
  ])('keep the input of the first server where the next one has %s', (_what, one, two) => {
    expect(merged(loader(one), loader(two))).toEqual(loader(one))
  })

  test('keep what one server alone says of a class', () => {
    const one = loader([['a']], { output: ['MODEL'], description: 'd' })
    const two = { Loader: { input: { required: { name: [['b']], other: ['INT'] }, optional: { more: [['x']] } } } }
    expect(merged(one, two)).toEqual(loader([['a', 'b']], { output: ['MODEL'], description: 'd' }))
  })
})

test('models are the files that classes offer, each once', () => {
  const classes = {
    Loader: { input: { required: { name: [['a.safetensors', 'sub/b.ckpt']], mode: [['fast', 'slow']] } } },
    Other: { input: { optional: { name: ['COMBO', { options: ['a.safetensors', 'c.gguf'] }], picture: [['x.png']] } } },
  }
  expect(classesAndModels(objectOf(JSON.stringify(classes)))).toEqual({
    classes: ['Loader', 'Other'],
    models: ['a.safetensors', 'sub/b.ckpt', 'c.gguf'],
  })
})
