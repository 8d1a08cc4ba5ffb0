import { describe, expect, test } from 'vitest'
import { type NodeTypes, readNodeTypes, withLists } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { type JsonObject, type JsonValue, withKey } from '../../../../src-main/lib/json/value.ts'
import { json, objectOf, readWorkflowFile, specifiedTypes, workflowFiles } from '../../../support/workflow-files.ts'

const TYPES = readNodeTypes(
  json({
    Load: { input: { required: { name: [['a', 'b']], file: [[]] } }, output: ['MODEL', 'CLIP'] },
    Run: {
      input: {
        required: { model: ['MODEL'], text: ['STRING'], seed: ['INT', { min: 0, max: 0 }] },
        optional: {
          cfg: ['FLOAT', { min: 0.5, max: 30 }],
          many: [['x', 'y'], { multi_select: {} }],
          any: ['*'],
          two: ['IMAGE,MASK'],
        },
      },
      output: ['IMAGE'],
    },
    Save: { input: { required: { images: ['IMAGE'] } }, output: [], output_node: true },
  }) as JsonObject,
)
const WITH_SEEDS = new Map(TYPES)
const run = TYPES.get('Run')
if (run !== undefined) {
  const inputs = run.inputs.map((input) =>
    input.name === 'seed'
      ? { ...input, options: withKey(input.options, 'max', { number: '18446744073709551615' }) }
      : input,
  )
  WITH_SEEDS.set('Run', { ...run, inputs })
}

const GOOD = {
  '1': { class_type: 'Load', inputs: { name: 'a', file: 'anything.safetensors' } },
  '2': { class_type: 'Run', inputs: { model: ['1', 0], text: 'hi', seed: 5 } },
  '3': { class_type: 'Save', inputs: { images: ['2', 0] } },
}

function found(payload: unknown, types: NodeTypes = WITH_SEEDS) {
  return validate(json(payload), types).map(({ severity, code, node, input, message }) => ({
    is: [severity, code, node, input].filter((part) => part !== undefined).join(' '),
    message,
  }))
}
const withRun = (inputs: object) => ({
  ...GOOD,
  '2': { class_type: 'Run', inputs: { ...GOOD['2'].inputs, ...inputs } },
})

describe('problems of a payload', () => {
  test('nothing, where nothing is', () => {
    expect(found(GOOD)).toEqual([])
  })

  test.each<readonly [object, string, string]>([
    [
      { model: ['9', 0] },
      'error dangling_link 2 model',
      'Input model is linked to node 9, which does not exist. Link it to another one.',
    ],
    [
      { model: ['1', 2] },
      'error bad_output_slot 2 model',
      'Input model is linked to output 2 of node 1 (Load), which has 2. Link it to another one.',
    ],
    [
      { model: ['1', 1] },
      'error type_mismatch 2 model',
      'Input model needs MODEL, but output CLIP of node 1 (Load) gives CLIP. Link something that fits.',
    ],
    [
      { model: ['1', 'x'] },
      'error wrong_value_type 2 model',
      'Input model is a list, but not a link of a node and an output.',
    ],
    [{ text: null }, 'error required_input_missing 2 text', 'Input text has no value. Set one.'],
    [{ model: null }, 'error required_input_missing 2 model', 'Input model has no value. Link a MODEL to it.'],
    [
      { seed: -1 },
      'error value_smaller_than_min 2 seed',
      'Input seed is -1, but the minimum is 0. Choose another value.',
    ],
    [
      { seed: 'x' },
      'error wrong_value_type 2 seed',
      'Input seed has "x", but needs a whole number. Choose another value.',
    ],
    [{ cfg: 31 }, 'error value_bigger_than_max 2 cfg', 'Input cfg is 31, but the maximum is 30. Choose another value.'],
    [{ cfg: null }, 'error wrong_value_type 2 cfg', 'Input cfg has null, but needs a number. Choose another value.'],
    [{ text: {} }, 'error wrong_value_type 2 text', 'Input text has {}, but needs a string. Choose another value.'],
    [
      { many: { __value__: ['x', 'z'] } },
      'error value_not_in_list 2 many',
      'Input many has "z", which is not one of its choices: "x", "y". Choose another value.',
    ],
  ])('%j is %s', (inputs, is, message) => {
    expect(found(withRun(inputs))).toEqual([{ is, message }])
  })

  test.each<object>([
    { seed: 3.7 },
    { seed: '12' },
    { seed: true },
    { cfg: '7.5' },
    { text: 5 },
    { many: { __value__: ['x', 'y'] } },
    { any: ['1', 1] },
    { two: null },
  ])('%j is taken, as the server takes it', (inputs) => {
    expect(found(withRun(inputs))).toEqual([])
  })

  test.each([
    ['cfg', 'NaN', []],
    ['cfg', 'Infinity', ['value_bigger_than_max']],
    ['cfg', '-Infinity', ['value_smaller_than_min']],
    ['seed', 'NaN', ['wrong_value_type']],
    ['seed', 'Infinity', ['wrong_value_type']],
  ])('%s may be %s of Python where the server takes it: %j', (input, number, codes) => {
    const text = JSON.stringify(withRun({ [input]: 'here' })).replace('"here"', number)
    expect(validate(objectOf(text), WITH_SEEDS).map(({ code }) => code)).toEqual(codes)
  })

  test('a seed may be 2^64-1 and not one more', () => {
    const seed = (text: string) => validate(withSeed(text), WITH_SEEDS).map(({ code }) => code)
    expect(seed('18446744073709551615')).toEqual([])
    expect(seed('18446744073709551616')).toEqual(['value_bigger_than_max'])
  })

  test('a choice without a value, also of an unknown list', () => {
    const load = (inputs: object) =>
      found({ ...GOOD, '1': { class_type: 'Load', inputs: { name: 'a', file: 'x', ...inputs } } })
    expect([load({ file: null }), load({ name: null })]).toEqual([
      [
        {
          is: 'error required_input_missing 1 file',
          message: 'Input file has no value. Type one that the worker has.',
        },
      ],
      [{ is: 'error required_input_missing 1 name', message: 'Input name has no value. Set one.' }],
    ])
  })

  test('a list that its worker only proposes takes other values', () => {
    const raw = json({
      Load: { input: { required: { file: [[], {}], name: [['a'], {}] } }, output: [], output_node: true },
    })
    const types = readNodeTypes(withLists(raw as JsonObject, { Load: { file: ['b'], name: ['c'] } }))
    expect(types.get('Load')?.inputs.map(({ choices }) => choices)).toEqual([['b'], ['a']])
    const problems = found({ '1': { class_type: 'Load', inputs: { file: 'mine', name: 'c' } } }, types)
    expect(problems.map(({ is }) => is)).toEqual(['error value_not_in_list 1 name'])
  })

  test('an input that is missing', () => {
    expect(found({ ...GOOD, '3': { class_type: 'Save', inputs: {} } })[0]?.is).toBe(
      'error required_input_missing 3 images',
    )
  })

  test('an unknown class is a warning, and its outputs fit everywhere', () => {
    const payload = { ...GOOD, '1': { class_type: 'Mine', inputs: { x: [1, 2, 3] } } }
    expect(found(payload).map(({ is }) => is)).toEqual(['warning unknown_class 1', 'error wrong_value_type 1 x'])
  })

  test('a loop is reported once, with its nodes in the order of the data', () => {
    const loop = {
      '1': { class_type: 'A', inputs: { x: ['3', 0] } },
      '2': { class_type: 'A', inputs: { x: ['1', 0] } },
      '3': { class_type: 'A', inputs: { x: ['2', 0] } },
      '4': { class_type: 'A', inputs: { x: ['4', 0] } },
    }
    const messages = found(loop)
      .filter(({ is }) => is.includes('cycle'))
      .map(({ message }) => message)
    expect(messages).toEqual([
      'The links form a loop: 2 → 3 → 1 → 2. Remove one of them.',
      'The links form a loop: 4 → 4. Remove one of them.',
    ])
  })

  test('a chain of 50,000 nodes is walked', () => {
    const chain = Array.from({ length: 50_000 }, (_, at) => [
      String(at),
      { class_type: 'Mine', inputs: at === 0 ? {} : { x: [String(at - 1), 0] } },
    ])
    expect(found(Object.fromEntries(chain)).length).toBe(50_000)
  })

  test('nothing would be produced', () => {
    expect(found({ '1': GOOD['1'] }).map(({ is }) => is)).toEqual(['error no_output_node'])
  })

  test('a node that no output needs is never run, so it is a warning', () => {
    const lone = { class_type: 'Run', inputs: { model: ['1', 1], text: 'x', seed: 1 } }
    expect(found({ ...GOOD, '7': lone }).map(({ is }) => is)).toEqual(['warning type_mismatch 7 model'])
  })

  test.each<readonly [unknown, string]>([
    [
      { nodes: [], links: [] },
      'This is not a workflow payload but a saved workflow of the editor. Convert it to a payload.',
    ],
    [[], 'This is not a workflow payload but a list. Send {id: {class_type, inputs}}.'],
    ['x', 'This is not a workflow payload but a string. Send {id: {class_type, inputs}}.'],
    [{}, 'This is not a workflow payload but an empty object. Send {id: {class_type, inputs}}.'],
    [
      { a: 1, b: 2, c: 3, d: 4 },
      'This is not a workflow payload but an object with "a", "b", "c" and more. Send {id: {class_type, inputs}}.',
    ],
  ])('%j is no payload', (value, message) => {
    expect(found(value)).toEqual([{ is: 'error not_a_workflow', message }])
  })

  test('an entry that is no node is reported at its id', () => {
    expect(found({ ...GOOD, x: { inputs: {} } })[0]).toEqual({
      is: 'error not_a_workflow x',
      message: 'Node x has no class_type and inputs. Remove it, or add them.',
    })
  })

  test.each(workflowFiles.filter((name) => /_api_(sd|sdxl|img2img|lora)|seed/.test(name)))(
    '%s has no problem',
    (name) => {
      expect(validate(objectOf(readWorkflowFile(name)), specifiedTypes())).toEqual([])
    },
  )
})

function withSeed(seed: string): JsonValue {
  return objectOf(JSON.stringify(withRun({ seed: '@' })).replace('"@"', seed))
}
