/** The form of ComfyUI's App Mode becomes the form of the graph. */
import { expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { setPayloadValue } from '../../../../../src-main/features/workflows/rules/edit/payload-value.ts'
import { formOf, withForm } from '../../../../../src-main/features/workflows/rules/publish/app-form.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { isObject, writeJson } from '../../../../../src-main/lib/json/value.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const INSIDE = 'a3f1c0de-0000-4000-8000-000000000001'
const TEXT = JSON.stringify({
  nodes: [
    { id: 1, type: 'SaveImage', widgets_values: ['pictures'] },
    {
      id: 2,
      type: INSIDE,
      inputs: [{ name: 'prompt', type: 'STRING', widget: { name: 'prompt' }, link: null }],
      widgets_values: ['on the host'],
    },
  ],
  links: [],
  definitions: {
    subgraphs: [
      {
        id: INSIDE,
        name: 'Inside',
        nodes: [
          {
            id: 5,
            type: 'CLIPTextEncode',
            inputs: [{ name: 'text', type: 'STRING', widget: { name: 'text' }, link: 1 }],
            widgets_values: ['inside'],
          },
          { id: 6, type: 'EmptyLatentImage', widgets_values: [512, 768, 1] },
        ],
        links: [{ id: 1, origin_id: -10, origin_slot: 0, target_id: 5, target_slot: 0, type: 'STRING' }],
        inputs: [{ id: 'i', name: 'prompt', type: 'STRING', linkIds: [1] }],
        outputs: [],
        inputNode: {},
        outputNode: {},
      },
    ],
  },
  extra: {
    linearMode: true,
    linearData: {
      inputs: [
        ['2', 'prompt'],
        [`${INSIDE}:2:prompt`, 'prompt'],
        [6, 'width'],
        ['1', 'filename_prefix'],
        ['99', 'gone'],
      ],
      outputs: ['1', '99'],
    },
  },
  version: 0.4,
})

const DOCUMENT = readDocument(objectOf(TEXT))
const payloadOf = (document: WorkflowDocument) => toPayload(document, TYPES, 0).payload
const shown = (document: WorkflowDocument) => {
  const { parameters, results } = formOf(document, payloadOf(document), TYPES)
  return { parameters: parameters.map(({ name, node, input }) => `${name}: ${node} ${input}`), results }
}

test('its inputs are parameters, on hosts and inside, and its outputs are results', () => {
  expect(shown(DOCUMENT)).toEqual({
    parameters: ['prompt: 2:5 text', 'width: 2:6 width', 'filename_prefix: 1 filename_prefix'],
    results: ['1'],
  })
  expect(writeJson(writeDocument(DOCUMENT))).toBe(TEXT)
})

test('it is replaced by a form that somebody chose here, also by an empty one', () => {
  const empty = withForm(DOCUMENT, { parameters: [], results: [] })
  expect(shown(empty)).toEqual({ parameters: [], results: [] })
  expect(writeJson(writeDocument(empty))).toContain('"linearData"')
})

test.each([
  ['2:5', 'text', 'of a widget that a host shows, on the host'],
  ['2:6', 'width', 'of any other widget, inside'],
])('a value for %s %s is set where the payload takes it from: that %s', (node, input) => {
  const changed = setPayloadValue(DOCUMENT, { node, input, value: 'new', types: TYPES })
  const inputs = payloadOf(changed).get(node)
  expect(isObject(inputs) && writeJson(inputs)).toContain(`"${input}":"new"`)
})
