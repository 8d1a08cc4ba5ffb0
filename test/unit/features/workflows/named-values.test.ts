import { describe, expect, test } from 'vitest'
import { readDocument, writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { setSlot } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { type NodeTypes, readNodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { objectOf } from '../../../support/workflow-files.ts'

const documentOf = (values: unknown, named?: object, inputs: readonly object[] = []) =>
  readDocument(
    objectOf(
      JSON.stringify({
        nodes: [{ id: 1, type: 'Ink', inputs, widgets_values: values, widgets_values_named: named }],
        links: [],
        version: 0.4,
      }),
    ),
  )

/** The inputs that are sent, or the codes of what is wrong. */
function sent(values: unknown, named?: object, inputs?: readonly object[], types: NodeTypes = new Map()): unknown {
  const { payload, problems } = toPayload(documentOf(values, named, inputs), types, 0)
  if (problems.length > 0) return problems.map(({ code }) => code)
  return JSON.parse(writeJson(payload))['1'].inputs
}

describe('values of an unknown class', () => {
  test.each<readonly [string, unknown, object, object]>([
    ['names', [7, 'a'], { steps: 7, text: 'a' }, { steps: 7, text: 'a' }],
    [
      'names with those of controls',
      [7, 'randomize', 'a', 'fixed', 'l', '.*'],
      { seed: 7, control_after_generate: 'randomize', text: 'a', fixed: 'fixed', lora: 'l', control_filter_list: '.*' },
      { seed: 7, text: 'a', lora: 'l' },
    ],
    ['an input that is called as a control says', ['x'], { fixed: 'x' }, { fixed: 'x' }],
    ['names with a number', ['a', 'b', 'c'], { text: 'a', 'text#1': 'b', 'lora#2': 'c' }, { text: 'b', 'lora#2': 'c' }],
    ['a hole for a widget that is not saved', [null, 5], { steps: 5 }, { steps: 5 }],
    ['null as a value', [null, 5], { mask: null, steps: 5 }, { mask: null, steps: 5 }],
    ['older names', ['new', 5], { name: 'old', steps: 5 }, { name: 'new', steps: 5 }],
    ['more names than values', [5], { steps: 5, text: 'a' }, { steps: 5, text: 'a' }],
    ['a button', ['a.png', 'image'], { image: 'a.png', upload: 'image' }, { image: 'a.png' }],
    ['older names beside a hole', ['new', null, null], { audio: 'old', upload: null }, { audio: 'new' }],
    [
      'fields for the sides of a box',
      [{ x: 1, y: 2 }, 1, 2, 'a'],
      { box: { x: 1, y: 2 }, x: 1, y: 2, text: 'a' },
      { box: { x: 1, y: 2 }, text: 'a' },
    ],
    ['names alone', undefined, { steps: 5, control_after_generate: 'fixed' }, { steps: 5 }],
  ])('that have %s are sent by them', (_what, values, named, inputs) => {
    expect(sent(values, named)).toEqual(inputs)
  })

  const slots = (...names: readonly (readonly [name: string, type: string])[]) =>
    names.map(([name, type]) => ({ name, type, widget: { name }, link: null }))

  test.each<readonly [string, unknown, readonly object[], unknown]>([
    ['slots', [7, 'a'], slots(['steps', 'INT'], ['text', 'STRING']), { steps: 7, text: 'a' }],
    [
      'slots, and a control after a seed and a list',
      [7, 'fixed', 'a', 'randomize', '', true],
      slots(['seed', 'INT'], ['lora', 'COMBO'], ['on', 'BOOLEAN']),
      { seed: 7, lora: 'a', on: true },
    ],
    ['slots, and holes', [null, 7, null], slots(['steps', 'INT']), { steps: 7 }],
    ['holes alone', [null, null], [], {}],
    ['too few slots', [7, 'a'], slots(['steps', 'INT']), ['values_not_named']],
    ['slots of other types', ['a', 7], slots(['steps', 'INT'], ['text', 'STRING']), ['values_not_named']],
    [
      'a word of a control that only fits another way',
      [1, 'fixed', 7, 'randomize'],
      slots(['count', 'INT'], ['mode', 'STRING'], ['seed', 'INT']),
      ['values_not_named'],
    ],
  ])('that have %s are sent as these say', (_what, values, inputs, expected) => {
    expect(sent(values, undefined, inputs)).toEqual(expected)
  })

  test('that have no names are reported', () => {
    const { problems } = toPayload(documentOf([7, 'a']), new Map(), 0)
    expect(problems).toMatchObject([
      { code: 'values_not_named', node: '1', message: expect.stringContaining('(7, "a")') },
    ])
  })

  test('are edited by their names, in both lists', () => {
    const document = documentOf([7, 'a'], { steps: 7, text: 'a' })
    const target = { node: '1', name: 'text', kind: 'input', value: 'b', types: new Map() } as const
    const edited = setSlot(document, undefined, target)
    expect(writeJson(writeDocument(edited))).toContain(
      '"widgets_values":[7,"b"],"widgets_values_named":{"steps":7,"text":"b"}',
    )
  })
})

describe('values of a class that is newer than the list of classes', () => {
  const choice = { options: [{ key: 'small', inputs: { required: { size: ['INT', { default: 1 }] } } }] }
  const types = readNodeTypes(
    objectOf(
      JSON.stringify({
        Ink: {
          input: { required: { model: ['COMFY_DYNAMICCOMBO_V3', choice], seed: ['INT', {}], text: ['STRING', {}] } },
        },
      }),
    ),
  )

  test('are sent by the names in the file if it names more', () => {
    const named = { model: 'small', 'model.size': 2, strict: true, seed: 7, control_after_generate: 'fixed', text: 'a' }
    expect(sent(['small', 2, true, 7, 'fixed', 'a'], named, [], types)).toEqual({
      model: 'small',
      'model.size': 2,
      strict: true,
      seed: 7,
      text: 'a',
    })
  })

  test('are sent by the names in the file if it has a choice that the list lacks', () => {
    const named = { model: 'large', 'model.steps': 20, seed: 7, control_after_generate: 'fixed', text: 'a' }
    const inputs = { model: 'large', 'model.steps': 20, seed: 7, text: 'a' }
    expect(sent(['large', 20, 7, 'fixed', 'a'], named, [], types)).toEqual(inputs)
  })

  test('are edited in their places', () => {
    const named = { model: 'small', 'model.size': 2, strict: true, seed: 7, control_after_generate: 'fixed', text: 'a' }
    const document = documentOf(['small', 2, true, 7, 'fixed', 'a'], named)
    const edited = setSlot(document, undefined, { node: '1', name: 'strict', kind: 'input', value: false, types })
    expect(writeJson(writeDocument(edited))).toContain('"widgets_values":["small",2,false,7,"fixed","a"]')
  })

  test('are sent by position if the file names no more than the list', () => {
    const named = { model: 'small', 'model.size': 2, seed: 7, control_after_generate: 'fixed', text: 'a' }
    expect(sent(['small', 2, 7, 'fixed', 'new'], named, [], types)).toMatchObject({ text: 'new' })
  })
})
