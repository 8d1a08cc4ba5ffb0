import { describe, expect, test } from 'vitest'
import { readDocument, type WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { addNode } from '../../../../src-main/features/workflows/rules/edit/add-node.ts'
import { canConnect, connect } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import { setWidget } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { createNodeViewer } from '../../../../src-main/features/workflows/rules/graph-view.ts'
import { readNodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { json, objectOf } from '../../../support/workflow-files.ts'

const TYPES = readNodeTypes(
  json({
    Resize: {
      input: {
        required: {
          image: ['IMAGE'],
          mode: [
            'COMFY_DYNAMICCOMBO_V3',
            {
              options: [
                { key: 'factor', inputs: { required: { by: ['FLOAT', { default: 2, max: 8 }] } } },
                {
                  key: 'size',
                  inputs: {
                    required: { width: ['INT', { default: 512 }], mask: ['MASK'] },
                    optional: { crop: ['BOOLEAN', {}] },
                  },
                },
              ],
            },
          ],
          method: [['area', 'nearest']],
        },
      },
      output: ['IMAGE'],
    },
    Batch: {
      input: {
        required: {
          images: [
            'COMFY_AUTOGROW_V3',
            { template: { input: { required: { image: ['IMAGE', {}] } }, prefix: 'image', min: 2, max: 4 } },
          ],
        },
      },
      output: ['IMAGE'],
    },
    Same: {
      input: {
        required: { value: ['COMFY_MATCHTYPE_V3', { template: { template_id: 't', allowed_types: 'IMAGE,MASK' } }] },
      },
      output: ['COMFY_MATCHTYPE_V3'],
    },
    Latent: { input: {}, output: ['LATENT'] },
    Show: { input: { required: { images: ['IMAGE'] } }, output_node: true },
  }) as JsonObject,
)

function withNodes(...names: readonly string[]): WorkflowDocument {
  const empty = readDocument(objectOf('{"nodes":[],"links":[],"version":0.4}'))
  return names.reduce((document, name) => {
    const type = TYPES.get(name)
    return type === undefined ? document : addNode(document, undefined, { type, pos: [0, 0] }).document
  }, empty)
}
const view = (document: WorkflowDocument, at = 0) => {
  const node = document.nodes.items[at]
  if (node === undefined) throw new Error('there is no such node')
  return createNodeViewer()({ document, graph: document, types: TYPES }, node)
}
const widgets = (document: WorkflowDocument) =>
  view(document).widgets.map(({ name, value }) => `${name}=${value === undefined ? '-' : writeJson(value)}`)
const sent = (document: WorkflowDocument) => JSON.parse(writeJson(toPayload(document, TYPES, 0).payload))

describe('a choice that brings inputs', () => {
  test('begins with those of its first value', () => {
    const document = withNodes('Resize')
    expect(widgets(document)).toEqual(['mode="factor"', 'mode.by=2', 'method="area"'])
    expect(view(document).widgets[0]?.input?.choices).toEqual(['factor', 'size'])
    expect(sent(document)['1'].inputs).toEqual({ mode: 'factor', 'mode.by': 2, method: 'area' })
  })

  test('brings others with another value; what is after them keeps its own', () => {
    const document = setWidget(withNodes('Resize'), undefined, {
      node: '1',
      name: 'method',
      value: 'nearest',
      types: TYPES,
    })
    const sized = setWidget(document, undefined, { node: '1', name: 'mode', value: 'size', types: TYPES })
    expect(widgets(sized)).toEqual(['mode="size"', 'mode.width=512', 'mode.crop=false', 'method="nearest"'])
    expect(view(sized).inputs.map(({ name }) => name)).toEqual(['image', 'mode.mask'])
    const back = setWidget(sized, undefined, { node: '1', name: 'mode', value: 'factor', types: TYPES })
    expect(widgets(back)).toEqual(['mode="factor"', 'mode.by=2', 'method="nearest"'])
  })

  test('is read from a payload, and given back', () => {
    const text =
      '{"1":{"inputs":{"mode":"size","mode.width":8,"mode.crop":true,"method":"area"},"class_type":"Resize","_meta":{"title":"Resize"}}}'
    const document = readDocument(toDocument(objectOf(text), TYPES))
    expect(widgets(document)).toEqual(['mode="size"', 'mode.width=8', 'mode.crop=true', 'method="area"'])
    expect(writeJson(toPayload(document, TYPES, 0).payload)).toBe(text)
  })

  test('has its inputs checked', () => {
    const inputs = { mode: 'factor', 'mode.by': 9, method: 'area', image: ['2', 0] }
    const payload = json({
      1: { class_type: 'Resize', inputs },
      2: { class_type: 'Resize', inputs: { mode: 'other' } },
    })
    const found = validate(payload, TYPES).map(({ code, node, input }) => `${node} ${input} ${code}`)
    expect(found).toEqual(
      expect.arrayContaining([
        '1 mode.by value_bigger_than_max',
        '2 mode value_not_in_list',
        '2 method required_input_missing',
      ]),
    )
  })
})

describe('a list of inputs that grows', () => {
  const names = (document: WorkflowDocument) => view(document).inputs.map(({ name }) => name)
  const link = (document: WorkflowDocument, name: string) =>
    connect(document, undefined, { from: { node: '2', slot: 0 }, to: { node: '1', name }, types: TYPES })

  test('has as many as are needed, and one more than are linked, up to its most', () => {
    let document = withNodes('Batch', 'Same')
    expect(names(document)).toEqual(['images.image0', 'images.image1'])
    document = link(document, 'images.image1')
    expect(names(document)).toEqual(['images.image0', 'images.image1', 'images.image2'])
    document = link(link(document, 'images.image2'), 'images.image3')
    expect(names(document)).toEqual([0, 1, 2, 3].map((at) => `images.image${at}`))
    expect(sent(document)['1'].inputs).toEqual({
      'images.image1': ['2', 0],
      'images.image2': ['2', 0],
      'images.image3': ['2', 0],
    })
  })

  test('misses what is needed', () => {
    const payload = json({ 1: { class_type: 'Batch', inputs: {} } })
    expect(validate(payload, TYPES).map(({ code, input }) => `${input} ${code}`)).toEqual([
      'undefined no_output_node',
      'images.image0 required_input_missing',
      'images.image1 required_input_missing',
    ])
  })
})

test('a type that follows others fits what its template allows', () => {
  const document = withNodes('Same', 'Latent', 'Show')
  const answer = (node: string, to: string, name: string) =>
    canConnect(document, undefined, { from: { node, slot: 0 }, to: { node: to, name }, types: TYPES }).can
  expect(answer('2', '1', 'value')).toBe(false)
  expect(answer('1', '3', 'images')).toBe(true)
})
