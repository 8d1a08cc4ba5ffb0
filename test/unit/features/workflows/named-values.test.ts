import { describe, expect, test } from 'vitest'
import { readDocument, writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { setSlot } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { objectOf } from '../../../support/workflow-files.ts'

const documentOf = (values: unknown, named?: object) =>
  readDocument(
    objectOf(
      JSON.stringify({
        nodes: [{ id: 1, type: 'Ink', widgets_values: values, widgets_values_named: named }],
        links: [],
        version: 0.4,
      }),
    ),
  )

/** The inputs that are sent, or the codes of what is wrong. */
function sent(values: unknown, named?: object): unknown {
  const { payload, problems } = toPayload(documentOf(values, named), new Map(), 0)
  if (problems.length > 0) return problems.map(({ code }) => code)
  return JSON.parse(writeJson(payload))['1'].inputs
}

describe('values of a class that nobody knows', () => {
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
    ['names alone', undefined, { steps: 5, control_after_generate: 'fixed' }, { steps: 5 }],
  ])('that have %s are sent by them', (_what, values, named, inputs) => {
    expect(sent(values, named)).toEqual(inputs)
  })

  test('that have no names are told', () => {
    expect(sent([7, 'a'])).toEqual(['values_not_named'])
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
