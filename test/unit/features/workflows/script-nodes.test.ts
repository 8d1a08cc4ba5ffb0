/** Nodes of the page's scripts are never sent; links through them lead on to nodes that are. */
import { expect, test } from 'vitest'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonObject, type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { TYPES } from '../../../comfy/convert.ts'
import { json } from '../../../support/workflow-files.ts'

const picture = (links: readonly number[] = [1]) => ({
  id: 1,
  type: 'EmptyImage',
  outputs: [{ name: 'IMAGE', type: 'IMAGE', links }],
  widgets_values: [64, 64, 1, 0],
})
const save = (link: number | null) => ({
  id: 3,
  type: 'SaveImage',
  inputs: [{ name: 'images', type: 'IMAGE', link }],
  widgets_values: ['a'],
})
const between = (id: number, type: string, into: number | null, out: number | null, more: object = {}) => ({
  id,
  type,
  inputs: into === null ? [] : [{ name: 'IMAGE', type: 'IMAGE', link: into }],
  outputs: out === null ? [] : [{ name: 'IMAGE', type: 'IMAGE', links: [out] }],
  ...more,
})

function converted(document: object) {
  const { payload, problems } = toPayload(readDocument(json(document) as JsonObject), TYPES, 0)
  return { payload: JSON.parse(writeJson(payload)), problems }
}

const NAMED = { widgets_values: ['pic'] }

test.each(['SetNode', 'easy setNode', 'Reroute', 'Reroute (rgthree)'])('%s passes on its input', (type) => {
  const { payload, problems } = converted({
    nodes: [picture(), between(2, type, 1, 2, NAMED), save(2)],
    links: [
      [1, 1, 0, 2, 0, 'IMAGE'],
      [2, 2, 0, 3, 0, 'IMAGE'],
    ],
  })
  expect(Object.keys(payload)).toEqual(['1', '3'])
  expect(payload[3].inputs.images).toEqual(['1', 0])
  expect(problems).toEqual([])
})

test.each([
  ['SetNode', 'GetNode'],
  ['easy setNode', 'easy getNode'],
])('%s hands its input to %s of that name', (setter, getter) => {
  const { payload, problems } = converted({
    nodes: [picture(), between(2, setter, 1, null, NAMED), between(4, getter, null, 2, NAMED), save(2)],
    links: [
      [1, 1, 0, 2, 0, 'IMAGE'],
      [2, 4, 0, 3, 0, 'IMAGE'],
    ],
  })
  expect(Object.keys(payload)).toEqual(['1', '3'])
  expect(payload[3].inputs.images).toEqual(['1', 0])
  expect(problems).toEqual([])
})

test('a getter in a subgraph reads the setter around it, unless its own graph has one', () => {
  const inner = (nodes: readonly object[], links: readonly object[]) => ({
    nodes: [picture(), between(2, 'SetNode', 1, null, NAMED), { id: 5, type: 'inner', properties: {} }],
    links: [[1, 1, 0, 2, 0, 'IMAGE']],
    definitions: {
      subgraphs: [{ id: 'inner', nodes: [between(6, 'GetNode', null, 2, NAMED), save(2), ...nodes], links }],
    },
  })
  const link = (id: number, from: number, to: number) => ({
    id,
    origin_id: from,
    origin_slot: 0,
    target_id: to,
    target_slot: 0,
    type: 'IMAGE',
  })
  const around = converted(inner([], [link(2, 6, 3)]))
  expect(around.payload['5:3'].inputs.images).toEqual(['1', 0])
  expect(around.problems).toEqual([])
  const own = [{ ...picture([7]), id: 8 }, between(9, 'SetNode', 7, null, NAMED)]
  expect(converted(inner(own, [link(2, 6, 3), link(7, 8, 9)])).payload['5:3'].inputs.images).toEqual(['5:8', 0])
})

test.each([
  ['Label (rgthree)', {}],
  ['Fast Groups Bypasser (rgthree)', { outputs: [{ name: 'OPT_CONNECTION', type: '*', links: [] }] }],
  ['easy bookmark', NAMED],
  ['AnyNoteOfAScript', { properties: { text: 'hi' } }],
])('%s is left out', (type, more) => {
  const { payload, problems } = converted({
    nodes: [picture(), save(1), { id: 7, type, ...more }],
    links: [[1, 1, 0, 3, 0, 'IMAGE']],
  })
  expect(Object.keys(payload)).toEqual(['1', '3'])
  expect(problems).toEqual([])
})

test('a node of an unknown class that names its class, or has values, is sent', () => {
  const unknown = [
    { id: 7, type: 'Theirs', properties: { 'Node name for S&R': 'Theirs' } },
    { id: 8, type: 'Theirs', properties: { ver: '1' }, widgets_values: ['a'] },
  ]
  expect(Object.keys(converted({ nodes: unknown, links: [] }).payload)).toEqual(['7', '8'])
})

test('a link to a node that is not sent is an error at its target', () => {
  const { payload, problems } = converted({
    nodes: [between(2, 'loop', null, 2), save(2)],
    links: [[2, 2, 0, 3, 0, 'IMAGE']],
    definitions: {
      subgraphs: [
        {
          id: 'loop',
          nodes: [between(5, 'loop', null, 1)],
          links: [{ id: 1, origin_id: 5, origin_slot: 0, target_id: -20, target_slot: 0, type: 'IMAGE' }],
          outputs: [{ id: 'o', name: 'IMAGE', type: 'IMAGE', linkIds: [1] }],
        },
      ],
    },
  })
  expect(Object.keys(payload)).toEqual(['3'])
  expect(problems).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'dangling_link', node: '3', input: 'images' }),
  )
})

test('the preview that the page draws on a video node is not sent', () => {
  const values = { frame_rate: 8, videopreview: { hidden: false, params: {} } }
  const { payload } = converted({ nodes: [{ id: 1, type: 'VHS_VideoCombine', widgets_values: values }], links: [] })
  expect(payload[1].inputs).toEqual({ frame_rate: 8 })
})

test('nodes of a payload are kept, even those of the page', () => {
  const payload = {
    1: { class_type: 'CLIPLoader', inputs: {} },
    2: { class_type: 'Anything Everywhere', inputs: { anything: ['1', 0] } },
  }
  const document = toDocument(json(payload) as JsonObject, TYPES)
  const again = JSON.parse(writeJson(toPayload(readDocument(document), TYPES, 0).payload as JsonValue))
  expect(again[2]).toMatchObject(payload[2])
})
