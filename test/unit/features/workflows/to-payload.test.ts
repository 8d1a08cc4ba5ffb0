import { beforeEach, describe, expect, test } from 'vitest'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type NodeTypes, readNodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { json, noWorkflowFiles, objectOf, readWorkflowFile, specifiedTypes } from '../../../support/workflow-files.ts'

const TYPES = readNodeTypes(
  json({
    Loader: { input: { required: { ckpt_name: [['a', 'b']] } }, output: ['MODEL', 'CLIP'], display_name: 'Load model' },
    Encode: {
      input: { required: { text: ['STRING', { multiline: true }], clip: ['CLIP'] } },
      input_order: { required: ['text', 'clip'] },
      output: ['CONDITIONING'],
    },
    Sampler: {
      input: {
        required: { model: ['MODEL'], seed: ['INT', {}], steps: ['INT', {}], positive: ['CONDITIONING'] },
        optional: { extra: ['FLOAT', { forceInput: true }], mode: ['COMBO', { options: ['x', 'y'] }] },
      },
      output: ['LATENT'],
    },
    Load: { input: { required: { image: [['p.png'], { image_upload: true }], size: ['INT'] } }, output: ['IMAGE'] },
    SaveImage: {
      input: { required: { images: ['IMAGE'], filename_prefix: ['STRING'] } },
      output: [],
      output_node: true,
    },
    Pass: { input: { required: { model: ['MODEL'], clip: ['CLIP'] } }, output: ['MODEL', 'CLIP'] },
  }) as JsonObject,
)

type Part = { readonly id: number | string; readonly type: string; readonly [key: string]: unknown }
type LinkTuple = readonly [
  id: number,
  from: number | string,
  slot: number,
  to: number | string,
  place: number,
  type: string,
]

const input = (name: string, type: string, link: number | null = null, widget = false) => ({
  name,
  type,
  link,
  ...(widget ? { widget: { name } } : {}),
})

function payloadOf(nodes: readonly Part[], links: readonly LinkTuple[], more: object = {}, types: NodeTypes = TYPES) {
  const document = readDocument(json({ nodes, links, version: 0.4, ...more }) as JsonObject)
  const { payload, problems } = toPayload(document, types, Date.UTC(2026, 0, 5, 12, 0, 0))
  return { payload: JSON.parse(writeJson(payload)), problems }
}

const loader: Part = { id: 4, type: 'Loader', widgets_values: ['a'] }
const sampler = (link: number, more: object = {}): Part => ({
  id: 3,
  type: 'Sampler',
  inputs: [input('model', 'MODEL', link)],
  widgets_values: [7, 'randomize', 20, 'x'],
  ...more,
})

describe('from a document to a payload', () => {
  test('values go by their places, and links go over them; controls of seeds are left out', () => {
    const { payload, problems } = payloadOf([sampler(1), loader], [[1, 4, 0, 3, 0, 'MODEL']])
    expect(payload).toEqual({
      '3': {
        inputs: { seed: 7, steps: 20, mode: 'x', model: ['4', 0] },
        class_type: 'Sampler',
        _meta: { title: 'Sampler' },
      },
      '4': { inputs: { ckpt_name: 'a' }, class_type: 'Loader', _meta: { title: 'Load model' } },
    })
    expect(problems).toEqual([])
  })

  test('a seed beyond doubles comes through as it is', () => {
    const text = '{"nodes":[{"id":1,"type":"Sampler","widgets_values":[18446744073709551615,"fixed",1.0]}],"links":[]}'
    const { payload } = toPayload(readDocument(objectOf(text)), TYPES, 0)
    expect(writeJson(payload)).toContain('"seed":18446744073709551615,"steps":1.0')
  })

  test('reroutes vanish, also in a row', () => {
    const reroute = (id: number, link: number): Part => ({
      id,
      type: 'Reroute',
      inputs: [input('', '*', link)],
      outputs: [],
    })
    const { payload } = payloadOf(
      [loader, reroute(8, 1), reroute(9, 2), sampler(3)],
      [
        [1, 4, 0, 8, 0, 'MODEL'],
        [2, 8, 0, 9, 0, 'MODEL'],
        [3, 9, 0, 3, 0, 'MODEL'],
      ],
    )
    expect(Object.keys(payload)).toEqual(['3', '4'])
    expect(payload[3].inputs.model).toEqual(['4', 0])
  })

  test('a primitive gives its value, notes give nothing', () => {
    const { payload } = payloadOf(
      [
        { id: 1, type: 'PrimitiveNode', widgets_values: [42, 'fixed'] },
        { id: 2, type: 'Note', widgets_values: ['hello'] },
        { id: 3, type: 'Sampler', inputs: [input('seed', 'INT', 1, true)], widgets_values: [7, 'fixed', 20] },
      ],
      [[1, 1, 0, 3, 0, 'INT']],
    )
    expect(payload).toEqual({ '3': expect.objectContaining({ inputs: { seed: 42, steps: 20, mode: 'x' } }) })
  })

  test('a muted source leaves a widget its own value and a socket out', () => {
    const { payload } = payloadOf(
      [{ ...loader, mode: 2 }, sampler(1, { inputs: [input('model', 'MODEL', 1), input('steps', 'INT', 2, true)] })],
      [
        [1, 4, 0, 3, 0, 'MODEL'],
        [2, 4, 0, 3, 1, 'INT'],
      ],
    )
    expect(payload[3].inputs).toEqual({ seed: 7, steps: 20, mode: 'x' })
  })

  test('a bypassed node hands through the input of the same type', () => {
    const pass: Part = {
      id: 5,
      type: 'Pass',
      mode: 4,
      inputs: [input('clip', 'CLIP', 2), input('model', 'MODEL', 1)],
      outputs: [
        { name: 'MODEL', type: 'MODEL', links: [3] },
        { name: 'CLIP', type: 'CLIP', links: [] },
      ],
    }
    const { payload } = payloadOf(
      [loader, pass, sampler(3)],
      [
        [1, 4, 0, 5, 1, 'MODEL'],
        [2, 4, 1, 5, 0, 'CLIP'],
        [3, 5, 0, 3, 0, 'MODEL'],
      ],
    )
    expect(payload[3].inputs.model).toEqual(['4', 0])
    expect(payload[5]).toBeUndefined()
  })

  test('an upload button has a place of its own at the end', () => {
    const { payload } = payloadOf([{ id: 1, type: 'Load', widgets_values: ['p.png', 5, 'image'] }], [])
    expect(payload[1].inputs).toEqual({ image: 'p.png', size: 5 })
  })

  test('older files hold a value for an input that is a socket alone', () => {
    const { payload } = payloadOf([{ id: 1, type: 'Sampler', widgets_values: [7, 'fixed', 20, 0.5, 'y'] }], [])
    expect(payload[1].inputs).toEqual({ seed: 7, steps: 20, mode: 'y' })
  })

  test('values that are named need no class; others of an unknown class are reported', () => {
    const { payload, problems } = payloadOf(
      [
        { id: 1, type: 'Video', widgets_values: { rate: 8, format: 'mp4' } },
        { id: 2, type: 'Mine', inputs: [input('seed', 'INT', null, true)], widgets_values: [7, 'increment'] },
        { id: 3, type: 'Other', widgets_values: [1, 2] },
      ],
      [],
    )
    expect(payload[1].inputs).toEqual({ rate: 8, format: 'mp4' })
    expect(payload[2].inputs).toEqual({ seed: 7 })
    expect(problems).toEqual([expect.objectContaining({ code: 'values_not_named', node: '3' })])
  })

  test('an array as a value is wrapped, as it would be read as a link', () => {
    const { payload } = payloadOf([{ id: 1, type: 'Video', widgets_values: { points: [1, 2] } }], [])
    expect(payload[1].inputs).toEqual({ points: { __value__: [1, 2] } })
  })

  test('names of files are filled in with values of other nodes and the date', () => {
    const prefix = '%Size.ckpt_name%-%date:yyyy-MM-dd%-%nobody.x%'
    const { payload } = payloadOf(
      [
        { ...loader, title: 'Size', widgets_values: ['a/b:c'] },
        { id: 9, type: 'SaveImage', widgets_values: [prefix] },
      ],
      [],
    )
    expect(payload[9].inputs.filename_prefix).toBe('a_b_c-2026-01-05-%nobody.x%')
  })

  test('a loop and a link from nowhere are reported at their inputs', () => {
    const pass = (id: number, link: number): Part => ({ id, type: 'Reroute', inputs: [input('', '*', link)] })
    const { problems } = payloadOf(
      [pass(1, 1), pass(2, 2), sampler(3), { ...sampler(4), id: 6 }],
      [
        [1, 2, 0, 1, 0, '*'],
        [2, 1, 0, 2, 0, '*'],
        [3, 1, 0, 3, 0, 'MODEL'],
        [4, 77, 0, 6, 0, 'MODEL'],
      ],
    )
    expect(problems.map(({ code, node, input }) => [code, node, input])).toEqual([
      ['dangling_link', '6', 'model'],
      ['cycle', '3', 'model'],
    ])
  })
})

describe('subgraphs', () => {
  const definition = (nodes: readonly Part[], links: readonly object[], more: object = {}) => ({
    id: 'sub',
    name: 'Sub',
    inputs: [
      { id: 'i0', name: 'model', type: 'MODEL' },
      { id: 'i1', name: 'steps', type: 'INT' },
    ],
    outputs: [{ id: 'o0', name: 'LATENT', type: 'LATENT' }],
    nodes,
    links,
    ...more,
  })
  const link = (id: number, origin_id: number, origin_slot: number, target_id: number, target_slot: number) => ({
    id,
    origin_id,
    origin_slot,
    target_id,
    target_slot,
    type: '*',
  })
  const inner = definition(
    [{ ...sampler(1), inputs: [input('model', 'MODEL', 1), input('steps', 'INT', 2, true)] }],
    [link(1, -10, 0, 3, 0), link(2, -10, 1, 3, 1), link(3, 3, 0, -20, 0)],
  )
  const host = (more: object): Part => ({
    id: 57,
    type: 'sub',
    inputs: [input('steps', 'INT', null, true), input('model', 'MODEL', 1)],
    outputs: [{ name: 'LATENT', type: 'LATENT', links: [2] }],
    ...more,
  })
  const around = (node: Part, definitions: readonly object[] = [inner]) =>
    payloadOf(
      [loader, node, { id: 9, type: 'SaveImage', inputs: [input('images', 'IMAGE', 2)], widgets_values: ['p'] }],
      [
        [1, 4, 0, 57, 1, 'MODEL'],
        [2, 57, 0, 9, 0, 'LATENT'],
      ],
      { definitions: { subgraphs: definitions } },
    )

  test('inner nodes get ids of the host, and links lead in by name and out', () => {
    const { payload, problems } = around(host({ properties: { proxyWidgets: [['3', 'steps']] }, widgets_values: [] }))
    expect(Object.keys(payload)).toEqual(['4', '9', '57:3'])
    expect(payload['57:3'].inputs).toEqual({ seed: 7, steps: 20, mode: 'x', model: ['4', 0] })
    expect(payload[9].inputs.images).toEqual(['57:3', 0])
    expect(problems).toEqual([])
  })

  test.each([
    ['listed as its own', { properties: { proxyWidgets: [['-1', 'steps']] }, widgets_values: [33] }],
    [
      'listed among inner ones, as text',
      { properties: { proxyWidgets: '[["3","seed"],["-1","steps"]]' }, widgets_values: [1, 33] },
    ],
    ['not listed', { widgets_values: [33] }],
  ])('a value of the host goes before the one inside: %s', (_how, more) => {
    expect(around(host(more)).payload['57:3'].inputs.steps).toBe(33)
  })

  test('a muted host takes its inner nodes away, a bypassed one hands through', () => {
    expect(Object.keys(around(host({ mode: 2 })).payload)).toEqual(['4', '9'])
    expect(around(host({ mode: 2 })).payload[9].inputs).toEqual({ filename_prefix: 'p' })
  })

  test('one within another has ids of both', () => {
    const outer = definition(
      [{ id: 8, type: 'sub', inputs: [input('model', 'MODEL', 1)], outputs: [{ name: 'LATENT', type: 'LATENT' }] }],
      [link(1, -10, 0, 8, 0), link(2, 8, 0, -20, 0)],
      { id: 'outer' },
    )
    const { payload } = around(host({ type: 'outer' }), [inner, outer])
    expect(payload['57:8:3'].inputs.model).toEqual(['4', 0])
    expect(payload[9].inputs.images).toEqual(['57:8:3', 0])
  })

  test('one that would be within itself ends there', () => {
    const self = definition([{ id: 8, type: 'sub' }], [])
    const { payload, problems } = around(host({}), [self])
    expect(Object.keys(payload)).toEqual(['4', '9'])
    expect(problems.map(({ code, severity, node }) => `${severity} ${code} ${node}`)).toEqual(['error cycle 57:8'])
  })
})

describe('files of users whose payload is known', () => {
  beforeEach(({ skip }) => skip(noWorkflowFiles !== undefined, noWorkflowFiles))

  const CUSTOM = readNodeTypes(
    json({
      'Text Multiline': { input: { required: { text: ['STRING', {}] } }, output: ['STRING'] },
      'Load Text File': {
        input: { required: { file_path: ['STRING', {}], dictionary_name: ['STRING', {}] } },
        output: ['STRING', 'DICT'],
      },
    }) as JsonObject,
  )

  // Inputs that a class has gained since the file was written have their defaults, as ComfyUI's editor sends them.
  test.each([
    ['20_pair_flux-dev-primitives', { 11: { device: 'default' } }],
    ['22_pair_large-171-reroutes-muted', {}],
  ])('%s gives it', (name, newer) => {
    const types = new Map([...specifiedTypes(), ...CUSTOM])
    const { payload, problems } = toPayload(readDocument(objectOf(readWorkflowFile(`${name}-ui.json`))), types, 0)
    const made = JSON.parse(writeJson(payload))
    for (const node of Object.values(made) as { _meta?: unknown }[]) delete node._meta // The references have no titles.
    expect(problems).toEqual([])
    const reference = JSON.parse(readWorkflowFile(`${name}-api.json`))
    for (const [id, inputs] of Object.entries(newer)) Object.assign(reference[id].inputs, inputs)
    expect(made).toEqual(reference)
    expect(Object.keys(made)).toEqual(Object.keys(reference))
  })
})
