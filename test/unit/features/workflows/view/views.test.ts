import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { makeSubgraph } from '../../../../../src-main/features/workflows/rules/edit/make-subgraph.ts'
import { moveNodes, setTitle } from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { addReroute } from '../../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { setWidget } from '../../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { createGraphViewer, type GraphView } from '../../../../../src-main/features/workflows/rules/graph-view.ts'
import { withOthers } from '../../../../../src-main/features/workflows/rules/node-types.ts'
import type { NodeView } from '../../../../../src-main/features/workflows/rules/node-view.ts'
import { payloadIdOf, whereIs } from '../../../../../src-main/features/workflows/rules/payload-ids.ts'
import { imagesOf } from '../../../../../src-main/features/workflows/rules/runs/payload-files.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../../src-main/features/workflows/rules/validate.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { beginning, EDIT_TYPES } from '../../../../support/random-edits.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const documentOf = (nodes: readonly object[], more: object = {}) =>
  readDocument(objectOf(JSON.stringify({ nodes, links: [], version: 0.4, ...more })))

function viewed(document: WorkflowDocument, at?: string): GraphView {
  const view = createGraphViewer()(document, at, TYPES)
  if (view === undefined) throw new Error('there is no such graph')
  return view
}
const widgets = ({ widgets: all }: NodeView) =>
  all.map(({ name, kind, value }) => `${kind} ${name} ${value === undefined ? '-' : writeJson(value)}`)

describe('the view of a node', () => {
  test.each([
    [{ type: 'KSampler' }, 'class', 'KSampler'],
    [{ type: 'Mine' }, 'unknown', 'Mine'],
    [{ type: 'Note', title: 'Read me' }, 'note', 'Read me'],
    [{ type: 'MarkdownNote' }, 'markdown', 'MarkdownNote'],
    [{ type: 'Reroute' }, 'reroute', 'Reroute'],
    [{ type: 'PrimitiveNode' }, 'primitive', 'PrimitiveNode'],
    [{ type: 'constructor' }, 'unknown', 'constructor'],
    [{ type: 'SetNode' }, 'class', 'SetNode'],
  ])('%j is a %s called %s', (node, kind, title) => {
    expect(viewed(documentOf([{ id: 1, ...node }])).nodes[0]).toMatchObject({ kind, title, mode: 'always' })
  })

  test('of a class that the endpoint lacks keeps its names, and is checked as an unknown one', () => {
    const types = withOthers(new Map(), TYPES)
    const document = documentOf([{ id: 1, type: 'KSampler', widgets_values: [5, 'fixed', 20] }])
    const [node] = createGraphViewer()(document, undefined, types)?.nodes ?? []
    expect(node?.kind).toBe('elsewhere')
    expect(node && widgets(node)).toContain('input steps 20')
    const { payload, problems } = toPayload(document, types, 0)
    expect(problems).toEqual([])
    expect(validate(payload, types).map(({ code }) => code)).toEqual(['unknown_class'])
  })

  test('has the values with their controls, and what nobody knows by number', () => {
    const { nodes } = viewed(
      documentOf([
        { id: 1, type: 'KSampler', widgets_values: [5, 'fixed', 20] },
        { id: 2, type: 'Mine', widgets_values: ['a', null] },
        { id: 3, type: 'LoadImage', widgets_values: ['x.png', 'image'] },
        { id: 4, type: 'Note', widgets_values: ['words'] },
      ]),
    )
    expect(nodes.map(widgets)).toEqual([
      [
        'input seed 5',
        'control seed "fixed"',
        'input steps 20',
        'input cfg 8.0',
        'input sampler_name "euler"',
        'input scheduler "simple"',
        'input denoise 1.0',
      ],
      ['input value 1 "a"', 'input value 2 null'],
      ['input image "x.png"', 'input upload "image"'],
      ['input text "words"'],
    ])
  })

  test('of a primitive says what the class of its target says', () => {
    const document = documentOf(
      [
        {
          id: 1,
          type: 'PrimitiveNode',
          outputs: [{ name: 'INT', type: 'INT', links: [1] }],
          widgets_values: [5, 'fixed'],
        },
        { id: 2, type: 'KSampler', inputs: [{ name: 'seed', type: 'INT', link: 1, widget: { name: 'seed' } }] },
      ],
      { links: [[1, 1, 0, 2, 0, 'INT']] },
    )
    const [primitive] = viewed(document).nodes
    expect(primitive?.widgets[0]?.input?.name).toBe('seed')
    expect(primitive && widgets(primitive)).toEqual(['input value 5', 'control value "fixed"'])
  })
})

describe('the view of a graph', () => {
  test('gives the very same views for what an edit did not touch', () => {
    const view = createGraphViewer()
    const document = beginning()
    const before = view(document, undefined, EDIT_TYPES)
    const moved = moveNodes(document, undefined, new Map([[document.nodes.items[0]?.id ?? '', [9, 9]]]))
    const after = view(moved, undefined, EDIT_TYPES)
    expect(before?.nodes.map((node, at) => node === after?.nodes[at]).filter((isSame) => !isSame)).toHaveLength(1)
    expect(before?.links.every((link, at) => link === after?.links[at])).toBe(true)
    expect(view(moved, 'no such graph', EDIT_TYPES)).toBeUndefined()
  })

  test('has links with their points, and groups by place', () => {
    const document = beginning()
    const [link] = document.links.items
    const bent = addReroute(document, undefined, { linkId: link?.id ?? '', pos: [7, 8] }).document
    expect(viewed(bent).links[0]?.waypoints).toEqual([{ id: '1', pos: [7, 8] }])
    const raw = { groups: [{ title: 'broken' }, { title: 'ok', bounding: [1, 2, 3, 4] }] }
    expect(viewed(documentOf([], raw)).groups).toEqual([
      { index: 1, title: 'ok', color: undefined, bounds: { x: 1, y: 2, width: 3, height: 4 }, isCollapsed: false },
    ])
  })

  test('of a subgraph has what leads in and out; a host shows a change within it', () => {
    const document = beginning()
    const encoder = document.nodes.items.find(({ type }) => type === 'EmptyLatentImage')?.id ?? ''
    const ids = new Set([encoder])
    const made = makeSubgraph(document, undefined, { ids, name: 'part', newUuid: () => 'sub' })
    if (made === undefined) throw new Error('nothing was made')
    const inside = viewed(made.document, 'sub')
    expect(inside.input?.slots.map(({ name }) => name)).toEqual([])
    expect(inside.output?.slots).toEqual([{ name: 'LATENT', label: 'LATENT', type: 'LATENT' }])
    expect(inside.nodes.map(({ id }) => id)).toEqual([encoder])

    const view = createGraphViewer()
    const host = (one: WorkflowDocument) => view(one, undefined, TYPES)?.nodes.find(({ id }) => id === made.host)
    const before = host(made.document)
    expect(before).toMatchObject({ kind: 'subgraph', title: 'part' })
    expect(host(setTitle(made.document, 'sub', encoder, 'x'))).toBe(before)
    const listed = documentOf(
      [{ id: 57, type: 'sub', properties: { proxyWidgets: [['8', 'steps']] }, widgets_values: [] }],
      {
        definitions: {
          subgraphs: [{ id: 'sub', name: 'S', nodes: [{ id: 8, type: 'KSampler', widgets_values: [1, 'fixed', 20] }] }],
        },
      },
    )
    const first = view(listed, undefined, TYPES)?.nodes[0]
    const set = setWidget(listed, '', { node: '8', name: 'steps', value: { number: '21' }, types: TYPES })
    expect(view(set, undefined, TYPES)?.nodes[0]).toBe(first)
    const changed = setWidget(listed, 'sub', { node: '8', name: 'steps', value: { number: '21' }, types: TYPES })
    expect(first && widgets(first)).toEqual(['input 8: steps 20'])
    expect(view(changed, undefined, TYPES)?.nodes[0]?.widgets[0]?.value).toEqual({ number: '21' })
  })
})

describe('a node of a payload', () => {
  const nested = documentOf(
    [
      { id: 57, type: 'outer' },
      { id: '5:7', type: 'X' },
      { id: 5, type: 'inner' },
    ],
    {
      definitions: {
        subgraphs: [
          { id: 'inner', nodes: [{ id: 8, type: 'KSampler' }] },
          { id: 'outer', nodes: [{ id: 3, type: 'inner' }] },
        ],
      },
    },
  )

  test.each([
    ['57', { path: [], at: undefined, node: '57' }],
    ['57:3:8', { path: ['57', '3'], at: 'inner', node: '8' }],
    ['5:8', { path: ['5'], at: 'inner', node: '8' }],
    ['5:7', { path: [], at: undefined, node: '5:7' }],
    ['57:9', undefined],
    ['', undefined],
  ])('%s is found in the document', (id, index) => {
    expect(whereIs(nested, id)).toEqual(index)
    if (index !== undefined) expect(payloadIdOf(nested, index.path, index.node)).toBe(id)
  })

  test('names the files that it asks for', () => {
    const payload = objectOf(
      JSON.stringify({
        1: { class_type: 'LoadImage', inputs: { image: 'a.png [input]' } },
        2: { class_type: 'LoadImage', inputs: { image: ['1', 0] } },
        3: { class_type: 'LoadImageMask', inputs: { image: 'b.png', channel: 'alpha' } },
        4: { class_type: 'KSampler', inputs: { seed: 1 } },
        5: { class_type: 'LoadImage', inputs: { image: '' } },
      }),
    )
    const files = [
      { node: '1', input: 'image', name: 'a.png' },
      { node: '3', input: 'image', name: 'b.png' },
    ]
    expect(imagesOf(payload, TYPES)).toEqual(files)
    expect(imagesOf(payload, new Map())).toEqual(files)
  })
})
