import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import {
  addNode,
  addNote,
  addPrimitive,
  addRerouteNode,
} from '../../../../../src-main/features/workflows/rules/edit/add-node.ts'
import {
  canConnect,
  connect,
  disconnect,
  insertIntoLink,
  moveLinks,
} from '../../../../../src-main/features/workflows/rules/edit/connect.ts'
import { moveNodes } from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { removeNodes } from '../../../../../src-main/features/workflows/rules/edit/remove.ts'
import { addReroute, waypointsOf } from '../../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { createGraphViewer } from '../../../../../src-main/features/workflows/rules/graph-view.ts'
import { type NodeType, readNodeTypes } from '../../../../../src-main/features/workflows/rules/node-types.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { EMPTY_DOCUMENTS } from '../../../../support/random-edits.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const empty = (form: keyof typeof EMPTY_DOCUMENTS = 'plain') => readDocument(objectOf(EMPTY_DOCUMENTS[form]))

function typeOf(name: string): NodeType {
  const type = TYPES.get(name)
  if (type === undefined) throw new Error(`there is no class ${name}`)
  return type
}

/** A document with nodes of these classes, with ids from 1 on. */
const withNodes = (...names: readonly string[]): WorkflowDocument =>
  names.reduce((document, name) => addNode(document, undefined, { type: typeOf(name), pos: [0, 0] }).document, empty())

const written = (document: WorkflowDocument) => JSON.parse(writeJson(writeDocument(document)))
const sent = (document: WorkflowDocument) => JSON.parse(writeJson(toPayload(document, TYPES, 0).payload))

/** Links an output to an input by name. */
function linked(document: WorkflowDocument, from: readonly [string, number], to: readonly [string, string]) {
  return connect(document, undefined, {
    from: { node: from[0], slot: from[1] },
    to: { node: to[0], name: to[1] },
    types: TYPES,
  })
}

describe('a new node', () => {
  test.each<readonly [string, readonly unknown[], object, unknown]>([
    ['the first of a list', [['a', 'b']], {}, 'a'],
    ['the default of its class', [['a', 'b']], { default: 'b' }, 'b'],
    ['not a default that is not in the list', [['a', 'b']], { default: 'of another machine' }, 'a'],
    ['nothing, where nobody knows the list', [[]], {}, null],
    ['none of several', [['a', 'b']], { multi_select: {} }, []],
    ['the first key of a choice that brings inputs', ['COMFY_DYNAMICCOMBO_V3'], { options: [{ key: 'k' }] }, 'k'],
  ])('has %s', (_what, [type], options, value) => {
    const raw = objectOf(JSON.stringify({ Choose: { input: { required: { it: [type, options] } }, output: [] } }))
    const chosen = readNodeTypes(raw).get('Choose')
    if (chosen === undefined) throw new Error('no class')
    const { document } = addNode(empty(), undefined, { type: chosen, pos: [0, 0] })
    expect(written(document).nodes[0].widgets_values).toEqual([value])
  })

  test('has the slots, values and size of its class, and the next id', () => {
    const { document, id } = addNode(empty(), undefined, { type: typeOf('KSampler'), pos: [10, 20] })
    expect(id).toBe('1')
    expect(written(document).nodes).toEqual([
      expect.objectContaining({
        id: 1,
        type: 'KSampler',
        pos: [10, 20],
        size: [315, 268],
        mode: 0,
        inputs: ['model', 'positive', 'negative', 'latent_image'].map((name) =>
          expect.objectContaining({ name, link: null }),
        ),
        outputs: [{ name: 'LATENT', type: 'LATENT', links: null }],
        properties: { 'Node name for S&R': 'KSampler' },
        widgets_values: [0, 'randomize', 20, 8, 'euler', 'simple', 1],
      }),
    ])
    expect(written(document)).toMatchObject({ last_node_id: 1, last_link_id: 0 })
  })

  test('raises the counters where its version has them', () => {
    const { document } = addNode(empty('version1'), undefined, { type: typeOf('VAEDecode'), pos: [0, 0] })
    expect(written(document).state).toMatchObject({ lastNodeId: 1, lastLinkId: 0 })
    expect(written(document)).not.toHaveProperty('last_node_id')
  })

  test('gets an id that no definition has either', () => {
    const raw = `{"last_node_id":"3","nodes":[],"links":[],"definitions":{"subgraphs":[{"id":"s","nodes":[{"id":41,"type":"X"}]}]},"version":0.4}`
    const { id, document } = addNode(readDocument(objectOf(raw)), undefined, { type: typeOf('VAEDecode'), pos: [0, 0] })
    expect(id).toBe('42')
    expect(written(document).last_node_id).toBe(42)
  })

  test('a note and a reroute are written as others write them', () => {
    const noted = addNote(empty(), undefined, { kind: 'markdown', text: '# hi', pos: [0, 0] }).document
    const { nodes } = written(addRerouteNode(noted, undefined, [5, 5]).document)
    expect(nodes).toEqual([
      expect.objectContaining({ id: 1, type: 'MarkdownNote', widgets_values: ['# hi'] }),
      expect.objectContaining({ id: 2, type: 'Reroute', inputs: [expect.objectContaining({ type: '*' })] }),
    ])
  })

  test('a primitive takes over the value of the widget that it gives', () => {
    const target = { node: '1', input: 'steps', pos: [0, 0], types: TYPES } as const
    const added = addPrimitive(withNodes('KSampler'), undefined, target)
    const document = added?.document ?? empty()
    expect(written(document).nodes[1]).toMatchObject({
      type: 'PrimitiveNode',
      outputs: [{ name: 'INT', type: 'INT', links: [1], widget: { name: 'steps' } }],
      widgets_values: [20, 'fixed'],
    })
    expect(sent(document)['1'].inputs.steps).toBe(20)
    expect(addPrimitive(document, undefined, { ...target, input: 'model' })).toBeUndefined()
  })
})

describe('a link', () => {
  const PICTURE = ['CheckpointLoaderSimple', 'CLIPTextEncode', 'KSampler', 'VAEDecode', 'SaveImage'] as const

  test('is written as the others of its graph: a tuple, or an object', () => {
    expect(written(linked(withNodes(...PICTURE), ['1', 1], ['2', 'clip'])).links).toEqual([[1, 1, 1, 2, 0, 'CLIP']])
    const version1 = ['VAEDecode', 'SaveImage'].reduce(
      (document, name) => addNode(document, undefined, { type: typeOf(name), pos: [0, 0] }).document,
      empty('version1'),
    )
    expect(written(linked(version1, ['1', 0], ['2', 'images'])).links).toEqual([
      { id: 1, origin_id: 1, origin_slot: 0, target_id: 2, target_slot: 0, type: 'IMAGE' },
    ])
  })

  test('replaces the one that was there, and leaves other nodes the very same', () => {
    const once = linked(withNodes(...PICTURE, 'VAEDecode'), ['4', 0], ['5', 'images'])
    const twice = linked(once, ['6', 0], ['5', 'images'])
    expect(written(twice).links).toEqual([[2, 6, 0, 5, 0, 'IMAGE']])
    expect(brokenRules(twice)).toEqual([])
    expect(twice.nodes.items[0]).toBe(once.nodes.items[0])
    expect(linked(twice, ['6', 0], ['5', 'images'])).toBe(twice)
  })

  test('to a widget gives it a slot, and the value is not sent any more', () => {
    const document = linked(withNodes('KSampler', 'PrimitiveInt'), ['2', 0], ['1', 'steps'])
    expect(document.nodes.items[0]?.inputs.items.at(-1)).toMatchObject({ name: 'steps', widget: 'steps', link: '1' })
    expect(sent(document)['1'].inputs).toMatchObject({ steps: ['2', 0], cfg: 8 })
    expect(brokenRules(document)).toEqual([])
  })

  test.each([
    [
      ['1', 2],
      ['2', 'clip'],
      'Input clip of CLIP Text Encode (Prompt) needs CLIP, but VAE of Load Checkpoint gives VAE.',
    ],
    [['9', 0], ['2', 'clip'], 'It no longer exists.'],
    [['1', 0], ['3', 'no such'], 'It no longer exists.'],
  ] as const)('from %j to %j is refused with the reason', ([node, slot], [target, name], why) => {
    const document = withNodes(...PICTURE)
    const answer = canConnect(document, undefined, { from: { node, slot }, to: { node: target, name }, types: TYPES })
    expect(answer).toEqual({ can: false, why })
  })

  test('that would close a loop is refused', () => {
    const document = linked(withNodes('ImageScale', 'ImageScale'), ['1', 0], ['2', 'image'])
    const answer = canConnect(document, undefined, {
      from: { node: '2', slot: 0 },
      to: { node: '1', name: 'image' },
      types: TYPES,
    })
    expect(answer).toEqual({ can: false, why: 'The links would form a loop.' })
  })

  test('takes a node in that is put onto it', () => {
    const document = linked(withNodes('VAEDecode', 'SaveImage', 'ImageScale'), ['1', 0], ['2', 'images'])
    const inserted = insertIntoLink(document, undefined, { linkId: '1', nodeId: '3', types: TYPES })
    expect(written(inserted).links).toEqual([
      [2, 1, 0, 3, 0, 'IMAGE'],
      [3, 3, 0, 2, 0, 'IMAGE'],
    ])
    expect(insertIntoLink(document, undefined, { linkId: '1', nodeId: '1', types: TYPES })).toBe(document)
  })

  test('takes a node in between its points, and other links through them stay where they are', () => {
    const two = linked(
      linked(withNodes('VAEDecode', 'SaveImage', 'ImageScale', 'PreviewImage'), ['1', 0], ['2', 'images']),
      ['1', 0],
      ['4', 'images'],
    )
    const first = addReroute(two, undefined, { linkId: '1', pos: [100, 0] }).document
    const second = addReroute(first, undefined, { linkId: '1', pos: [900, 0] }).document
    const placed = moveNodes(second, undefined, new Map([['3', [400, 0]]]))
    const inserted = insertIntoLink(placed, undefined, { linkId: '1', nodeId: '3', types: TYPES })
    const ways = (document: WorkflowDocument) =>
      [...waypointsOf(document)].map(([id, way]) => [id, way.map(({ pos }) => pos[0])])
    expect(ways(placed)).toEqual([['1', [100, 900]]])
    expect(ways(inserted)).toEqual([
      ['3', [100]],
      ['4', [900]],
    ])
    expect(brokenRules(inserted)).toEqual([])
    const straight = insertIntoLink(placed, undefined, { linkId: '2', nodeId: '3', types: TYPES })
    expect(ways(straight)).toEqual([['1', [100, 900]]])
    expect(written(straight).extra.linkExtensions).toHaveLength(1)
  })

  test('moves with all of its output to another output', () => {
    const both = linked(
      linked(withNodes('VAEDecode', 'SaveImage', 'PreviewImage', 'VAEDecode'), ['1', 0], ['2', 'images']),
      ['1', 0],
      ['3', 'images'],
    )
    const moved = moveLinks(both, undefined, { from: { node: '1', slot: 0 }, to: { node: '4', slot: 0 }, types: TYPES })
    expect(moved.links.items.map(({ from }) => from.node)).toEqual(['4', '4'])
    expect(brokenRules(moved)).toEqual([])
  })

  test('is gone with its slot cleared at both ends', () => {
    const document = linked(withNodes('VAEDecode', 'SaveImage'), ['1', 0], ['2', 'images'])
    const cut = disconnect(document, undefined, { node: '1', side: 'output', slot: 0 })
    expect(cut.links.items).toEqual([])
    expect(brokenRules(cut)).toEqual([])
    const removed = removeNodes(document, undefined, new Set(['1']))
    expect(written(removed).nodes.map(({ id }: { id: number }) => id)).toEqual([2])
    expect(brokenRules(removed)).toEqual([])
  })

  test('into a file whose links name other places than its slots is replaced all the same', () => {
    const raw = `{"nodes":[{"id":1,"type":"VAEDecode","outputs":[{"name":"IMAGE","type":"IMAGE","links":[7]}]},
      {"id":2,"type":"SaveImage","inputs":[{"name":"x","type":"STRING","link":null},{"name":"images","type":"IMAGE","link":7}]}],
      "links":[[7,1,0,2,0,"IMAGE"]],"version":0.4}`
    const document = readDocument(objectOf(raw))
    const removed = removeNodes(document, undefined, new Set(['1']))
    expect(removed.nodes.items[0]?.inputs.items.map(({ link }) => link)).toEqual([undefined, undefined])
    const added = addNode(document, undefined, { type: typeOf('LoadImage'), pos: [0, 0] })
    const other = linked(added.document, [added.id, 0], ['2', 'images'])
    expect(written(other).links).toEqual([[8, 3, 0, 2, 1, 'IMAGE']])
    expect(brokenRules(other)).toEqual([])
    const cut = disconnect(document, undefined, { node: '2', side: 'input', slot: 1 })
    expect(cut.links.items).toEqual([])
    expect(createGraphViewer()(document, undefined, TYPES)?.links[0]?.to).toEqual({ node: '2', slot: 1 })
  })
})
