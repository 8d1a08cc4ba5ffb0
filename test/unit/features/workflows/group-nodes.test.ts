/** Group nodes of older editors mean what ComfyUI's page makes of them. */
import { expect, test } from 'vitest'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { TYPES } from '../../../comfy/convert.ts'
import { json } from '../../../support/workflow-files.ts'

const widgetInput = (name: string, link: number | null = null) => ({ name, type: 'INT', widget: { name }, link })
const output = (type: string, links: readonly number[] = []) => ({ name: type, type, links })

const picture = {
  type: 'EmptyImage',
  inputs: ['width', 'height', 'batch_size', 'color'].map((name) => widgetInput(name)),
  outputs: [output('IMAGE')],
  widgets_values: [64, 32, 1, 0],
}
const invert = {
  type: 'ImageInvert',
  inputs: [{ name: 'image', type: 'IMAGE', link: null }],
  outputs: [output('IMAGE')],
}
const reroute = { type: 'Reroute', inputs: [{ name: '', type: '*', link: null }], outputs: [{ name: '', type: '*' }] }
const PAIR = { nodes: [picture, invert], links: [[0, 0, 1, 0, 5, 'IMAGE']], external: [] }

/** A group node 5 whose only output is saved by node 9; `sources` are linked to its inputs by 11, 12 ... */
function sent(group: object, host: object = {}, sources: readonly object[] = []) {
  const links = sources.map((_, at) => [11 + at, 20 + at, 0, 5, at, '*'])
  const document = {
    nodes: [
      ...sources.map((source, at) => ({ id: 20 + at, ...source, outputs: [output('*', [11 + at])] })),
      { id: 5, type: 'workflow>c', outputs: [output('IMAGE', [1])], ...host },
      { id: 9, type: 'SaveImage', inputs: [{ name: 'images', type: 'IMAGE', link: 1 }], widgets_values: ['x'] },
    ],
    links: [[1, 5, 0, 9, 0, 'IMAGE'], ...links],
    extra: { groupNodes: { c: group } },
  }
  const { payload, problems } = toPayload(readDocument(json(document) as JsonObject), TYPES, 0)
  const nodes = JSON.parse(writeJson(payload))
  const inputs = Object.fromEntries(Object.entries<{ inputs: object }>(nodes).map(([id, one]) => [id, one.inputs]))
  return { inputs, problems }
}

const size = (width: unknown, height: unknown, batch_size: unknown, color: unknown) => ({
  width,
  height,
  batch_size,
  color,
})

test.each([
  ['all', [48, 40, 2, 7], size(48, 40, 2, 7)],
  ['more than its parts have', [48, 40, 2, 7, 99], size(48, 40, 2, 7)],
  ['fewer, for which the classes have defaults', [48, 40], size(48, 40, 1, 0)],
  ['none', undefined, size(512, 512, 1, 0)],
])('values of the node: %s', (_, values, expected) => {
  const { inputs, problems } = sent(PAIR, values === undefined ? {} : { widgets_values: values })
  expect(problems).toEqual([])
  expect(inputs['5:0']).toEqual(expected)
  expect(inputs['5:1']).toEqual({ image: ['5:0', 0] })
  expect(inputs[9]).toMatchObject({ images: ['5:1', 0] })
})

test('inputs are found by name; a repeated name is preceded by the title of its part', () => {
  const batch = {
    type: 'ImageBatch',
    inputs: ['image1', 'image2'].map((name) => ({ name, type: 'IMAGE', link: null })),
  }
  const links = [
    [0, 0, 2, 0, 1, 'IMAGE'],
    [1, 0, 2, 1, 2, 'IMAGE'],
  ]
  const group = { nodes: [picture, picture, { ...batch, outputs: [output('IMAGE')] }], links, external: [] }
  const host = { inputs: [widgetInput('EmptyImage height', 11), widgetInput('width', 12)] }
  const { inputs, problems } = sent(group, host, [
    { type: 'PrimitiveInt', widgets_values: [1, 'fixed'] },
    { type: 'PrimitiveInt', widgets_values: [2, 'fixed'] },
  ])
  expect(problems).toEqual([])
  expect([inputs['5:0'], inputs['5:1']]).toEqual([size(['21', 0], 512, 1, 0), size(512, ['20', 0], 1, 0)])
})

test('an input may have been renamed', () => {
  const group = { ...PAIR, config: { 0: { input: { height: { name: 'Height' } } } } }
  const host = { inputs: [widgetInput('Height', 11)], widgets_values: [1, 2, 3, 4] }
  const { inputs } = sent(group, host, [{ type: 'PrimitiveInt', widgets_values: [1, 'fixed'] }])
  expect(inputs['5:0']).toEqual(size(1, ['20', 0], 3, 4))
})

test.each([
  ['a reroute at the exit', [[0, 0, 1, 0, 1, 'IMAGE']], [[1, 0, 'IMAGE']], [picture, reroute], ['5:0', 0]],
  ['a note', [[0, 0, 2, 0, 1, 'IMAGE']], [], [picture, { type: 'Note', widgets_values: ['hi'] }, invert], ['5:2', 0]],
])('%s among its parts', (_, links, external, nodes, images) => {
  const { inputs, problems } = sent({ nodes, links, external })
  expect(problems).toEqual([])
  expect(inputs[9]).toMatchObject({ images })
})

test('a reroute at the entry is named by its type', () => {
  const group = { nodes: [reroute, invert], links: [[0, 0, 1, 0, 1, 'IMAGE']], external: [] }
  const host = { inputs: [{ name: 'IMAGE', type: 'IMAGE', link: 11 }] }
  const { inputs, problems } = sent(group, host, [{ type: 'EmptyImage', widgets_values: [1, 1, 1, 0] }])
  expect(problems).toEqual([])
  expect(inputs['5:1']).toEqual({ image: ['20', 0] })
})

test('a primitive inside takes the first values of the group node, with its control', () => {
  const primitive = { type: 'PrimitiveNode', outputs: [{ name: 'INT', type: 'INT', widget: { name: 'width' } }] }
  const group = { nodes: [primitive, picture], links: [[0, 0, 1, 0, 2, 'INT']], external: [[1, 0, 'IMAGE']] }
  const { inputs, problems } = sent(group, { widgets_values: [320, 'fixed', 512, 1, 0] })
  expect(problems).toEqual([])
  expect(inputs['5:1']).toEqual(size(320, 512, 1, 0))
})

test('names that differ by case alone are two groups', () => {
  const nodes = ['workflow>c', 'workflow/C'].map((type, at) => ({ id: at, type, outputs: [output('IMAGE')] }))
  const extra = { groupNodes: { c: PAIR, C: { nodes: [picture], links: [] } } }
  const { payload } = toPayload(readDocument(json({ nodes, links: [], extra }) as JsonObject), TYPES, 0)
  expect([...payload.keys()]).toEqual(['0:0', '0:1', '1:0'])
})

test('a bypassed part passes on its input', () => {
  const { inputs } = sent({ ...PAIR, nodes: [picture, { ...invert, mode: 4 }] })
  expect(inputs[9]).toMatchObject({ images: ['5:0', 0] })
})

test.each([
  ['the file does not define it', { nodes: 7 }, {}],
  ['it contains another group node, workflow>b', { nodes: [{ type: 'workflow>b' }] }, {}],
  ['none of its nodes has the input mask', PAIR, { inputs: [{ name: 'mask', type: 'MASK', link: 1 }] }],
  ['its nodes do not have its outputs', { nodes: [], links: [] }, {}],
])('one that cannot be opened says that %s', (reason, group, host) => {
  expect(sent(group, host).problems).toContainEqual(
    expect.objectContaining({ code: 'needs_extension', node: '5', message: expect.stringContaining(reason) }),
  )
})
