/** Links that no slot names are sent as the newest page of ComfyUI, and Use Everywhere, send them. */
import { expect, test } from 'vitest'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { TYPES } from '../../../comfy/convert.ts'
import { json } from '../../../support/workflow-files.ts'

function converted(document: object) {
  const { payload, problems } = toPayload(readDocument(json(document) as JsonObject), TYPES, 0)
  return { payload: JSON.parse(writeJson(payload)), problems }
}

const latent = (id: number) => ({ id, type: 'EmptyLatentImage', widgets_values: [64, 64, 1] })
const sampler = (...inputs: readonly object[]) => ({
  id: 2,
  type: 'KSampler',
  inputs,
  widgets_values: [1, 'fixed', 2, 3, 'euler', 'simple', 1],
})
const socket = (name: string, type: string, link: number | null = null) => ({ name, type, link })
const RESTORED = { code: 'link_restored', severity: 'warning', node: '2' }

test.each([
  [0, 'model'],
  [3, 'latent_image'],
  [4, 'seed'],
])('index %i of a class is its %s, though the file leaves slots out', (slot, name) => {
  const { payload, problems } = converted({
    nodes: [latent(3), sampler(socket('positive', 'CONDITIONING'))],
    links: [[7, 3, 0, 2, slot, 'LATENT']],
  })
  expect(payload[2].inputs[name]).toEqual(['3', 0])
  expect(problems).toEqual([expect.objectContaining({ ...RESTORED, input: name })])
})

test('a link that a slot names stays, else the first in the list is taken', () => {
  const links = [
    [7, 3, 0, 2, 3, 'LATENT'],
    [8, 4, 0, 2, 3, 'LATENT'],
  ]
  const source = (link: number | null) => {
    const nodes = [latent(3), latent(4), sampler(socket('latent_image', 'LATENT', link))]
    return converted({ nodes, links }).payload[2].inputs.latent_image
  }
  expect([source(8), source(null), source(99)]).toEqual([
    ['4', 0],
    ['3', 0],
    ['3', 0],
  ])
})

test('a link without its source is not connected, and a primitive gives a socket nothing', () => {
  const primitive = { id: 5, type: 'PrimitiveNode', mode: 2, widgets_values: [77, 'fixed'] }
  const { payload } = converted({
    nodes: [primitive, sampler()],
    links: [
      [6, 5, 0, 2, 0, 'INT'],
      [7, 5, 0, 2, 4, 'INT'],
      [8, 9, 0, 2, 3, 'LATENT'],
    ],
  })
  expect(payload[2].inputs).toMatchObject({ seed: 77 })
  expect(payload[2].inputs).not.toHaveProperty('latent_image')
  expect(payload[2].inputs).not.toHaveProperty('model')
})

const everywhere = (extra: object) =>
  converted({
    nodes: [
      { ...latent(3), outputs: [{ name: 'LATENT', type: 'LATENT', links: [1] }] },
      { id: 4, type: 'Anything Everywhere', inputs: [socket('LATENT', '*', 1)] },
      sampler(socket('latent_image', 'LATENT')),
    ],
    links: [[1, 3, 0, 4, 0, 'LATENT']],
    extra,
  })

test('links that Use Everywhere stored are sent', () => {
  const link = { downstream: 2, downstream_slot: 0, upstream: '3', upstream_slot: 0, controller: 4, type: 'LATENT' }
  const { payload, problems } = everywhere({ ue_links: [link] })
  expect(Object.keys(payload)).toEqual(['2', '3'])
  expect(payload[2].inputs.latent_image).toEqual(['3', 0])
  expect(problems).toEqual([])
})

test('without them, warnings name the inputs that may have been fed', () => {
  const message = expect.stringContaining('Anything Everywhere may have fed it from output 0 of node 3')
  expect(everywhere({}).problems).toContainEqual(
    expect.objectContaining({ code: 'needs_extension', node: '2', input: 'latent_image', message }),
  )
})
