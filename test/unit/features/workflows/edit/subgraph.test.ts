import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { canConnect, connect } from '../../../../../src-main/features/workflows/rules/edit/connect.ts'
import { dissolve } from '../../../../../src-main/features/workflows/rules/edit/dissolve.ts'
import { makeSubgraph } from '../../../../../src-main/features/workflows/rules/edit/make-subgraph.ts'
import { addReroute, waypointsOf } from '../../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { promotedWidgets } from '../../../../../src-main/features/workflows/rules/promoted-widgets.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import {
  beginning,
  EDIT_TYPES,
  EMPTY_DOCUMENTS,
  makeEdit,
  randomEdits,
  session,
} from '../../../../support/random-edits.ts'
import { whatNodesDo } from '../../../../support/same-payload.ts'
import { bundledTypes, noWorkflowFiles, objectOf, readWorkflowFile } from '../../../../support/workflow-files.ts'

const does = (document: WorkflowDocument) => whatNodesDo(toPayload(document, EDIT_TYPES, 0).payload)
const numbers = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 })

const nodesAt = ({ nodes }: WorkflowDocument, places: readonly number[]): ReadonlySet<string> =>
  new Set(places.flatMap((place) => nodes.items[place % nodes.items.length]?.id ?? []))

function uuids() {
  const given: string[] = []
  return () => `made-${given.push('')}`
}

describe('a subgraph of some nodes', () => {
  test('is sent as the nodes were', () => {
    fc.assert(
      fc.property(randomEdits(), numbers, (edits, places) => {
        const document = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
        const made = makeSubgraph(document, undefined, {
          ids: nodesAt(document, places),
          name: 'part',
          newUuid: uuids(),
        })
        if (made === undefined) return
        expect(brokenRules(made.document)).toEqual([])
        expect(does(made.document)).toEqual(does(document))
      }),
      { numRuns: 60 },
    )
  })

  test('is dissolved again into what it was', () => {
    fc.assert(
      fc.property(randomEdits(), numbers, (edits, places) => {
        const document = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
        const made = makeSubgraph(document, undefined, {
          ids: nodesAt(document, places),
          name: 'part',
          newUuid: uuids(),
        })
        const back = made && dissolve(made.document, undefined, made.host, EDIT_TYPES)
        if (made === undefined || back === undefined) return
        expect(brokenRules(back.document)).toEqual([])
        expect(does(back.document)).toEqual(does(document))
        expect(back.document.definitions?.subgraphs.items.map(({ id }) => id) ?? []).not.toContain(made.definition)
      }),
      { numRuns: 60 },
    )
  })
})

test('a node with a subgraph is dissolved into what it does, with the values that it holds', () => {
  fc.assert(
    fc.property(randomEdits(), numbers, (edits, places) => {
      const before = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
      const part = makeSubgraph(before, undefined, { ids: nodesAt(before, places), name: 'part', newUuid: uuids() })
      const document = part?.document ?? before
      for (const { id = '', mode } of document.nodes.items) {
        const dissolved = mode === 0 ? dissolve(document, undefined, id, EDIT_TYPES) : undefined
        if (dissolved === undefined) continue
        expect(brokenRules(dissolved.document)).toEqual([])
        expect(does(dissolved.document)).toEqual(does(document))
      }
    }),
    { numRuns: 60 },
  )
})

describe('a subgraph of a real file', () => {
  beforeEach(({ skip }) => skip(noWorkflowFiles !== undefined, noWorkflowFiles))
  const document = readDocument(objectOf(noWorkflowFiles ? '{}' : readWorkflowFile('24_ui_subgraph-z-image.json')))
  const told = (one: WorkflowDocument) => whatNodesDo(toPayload(one, bundledTypes(), 0).payload)

  test('is dissolved with its values', () => {
    const back = dissolve(document, undefined, '57', bundledTypes())
    expect(back && told(back.document)).toEqual(told(document))
    expect(back?.ids).toHaveLength(9)
    expect(back?.document.definitions?.subgraphs.items).toEqual([])
  })

  test('goes into another one', () => {
    const ids = new Set(['57'])
    const made = makeSubgraph(document, undefined, { ids, name: 'outer', newUuid: uuids() })
    expect(made && told(made.document)).toEqual(told(document))
    expect(made && brokenRules(made.document)).toEqual([])
    expect(made && writeJson(writeDocument(made.document))).toContain('"name":"outer"')
  })
})

test('nothing becomes no subgraph', () => {
  const document = beginning()
  expect(makeSubgraph(document, undefined, { ids: new Set(), name: 'none', newUuid: uuids() })).toBeUndefined()
  expect(dissolve(document, undefined, '1', EDIT_TYPES)).toBeUndefined()
  expect(makeEdit(document, { name: 'dissolve', graph: 0, numbers: [0] }, EDIT_TYPES, uuids())).toBe(document)
})

test('a node with a subgraph is linked by what its subgraph has, also where it has no slot for it', () => {
  const raw = objectOf(
    '{"nodes":[{"id":1,"type":"sub","outputs":[]},{"id":2,"type":"VAEDecode"},{"id":3,"type":"SaveImage"}],"links":[],"version":0.4,' +
      '"definitions":{"subgraphs":[{"id":"sub","name":"Part","inputs":[{"id":"i","name":"pic","type":"IMAGE"}],"outputs":[{"id":"o","name":"A","type":"LATENT"},{"id":"p","name":"B","type":"IMAGE"}],"nodes":[]}]}}',
  )
  const document = readDocument(raw)
  const ends = { from: { node: '1', slot: 1 }, to: { node: '3', name: 'images' }, types: bundledTypes() }
  expect(canConnect(document, undefined, ends)).toEqual({ can: true })
  const linked = connect(document, undefined, ends)
  expect(linked.nodes.items[0]?.outputs.items.map(({ name }) => name)).toEqual(['A', 'B'])
  const into = { from: { node: '2', slot: 0 }, to: { node: '1', name: 'pic' }, types: bundledTypes() }
  expect(brokenRules(connect(linked, undefined, into))).toEqual([])
  const wrong = canConnect(document, undefined, { ...ends, from: { node: '1', slot: 0 } })
  expect(wrong).toMatchObject({ why: expect.stringContaining('A of Part gives LATENT') })
})

test.each(['[1]', '[]'])(
  'a value that the node holds goes to the inner node when it is dissolved, whose links the input names as %s',
  (linkIds) => {
    const document = readDocument(
      objectOf(
        '{"nodes":[{"id":1,"type":"sub","inputs":[{"name":"steps","type":"INT","widget":{"name":"steps"},"link":null}],"widgets_values":[33]}],"links":[],"version":0.4,' +
          '"definitions":{"subgraphs":[{"id":"sub","inputs":[{"id":"i","name":"steps","type":"INT","linkIds":LINKS}],"outputs":[],'.replace(
            'LINKS',
            linkIds,
          ) +
          '"nodes":[{"id":8,"type":"KSampler","inputs":[{"name":"steps","type":"INT","widget":{"name":"steps"},"link":1}],"widgets_values":[1,"fixed",20]}],' +
          '"links":[{"id":1,"origin_id":-10,"origin_slot":0,"target_id":8,"target_slot":0,"type":"INT"}]}]}}',
      ),
    )
    const [host, definition] = [document.nodes.items[0], document.definitions?.subgraphs.items[0]]
    expect(host && definition && promotedWidgets(host, definition).map(({ inner }) => inner)).toEqual([
      { node: '8', widget: 'steps' },
    ])
    const dissolved = dissolve(document, undefined, '1', bundledTypes())
    expect(dissolved && writeJson(writeDocument(dissolved.document))).toContain('"widgets_values":[1,"fixed",33]')
  },
)

test('points of links within go into the subgraph, and come out of it again', () => {
  const document = beginning()
  const [link] = document.links.items
  const bent = addReroute(document, undefined, { linkId: link?.id ?? '', pos: [7, 8] }).document
  const ids = new Set([link?.from.node ?? '', link?.to.node ?? ''])
  const made = makeSubgraph(bent, undefined, { ids, name: 'part', newUuid: () => 'part' })
  const within = made?.document.definitions?.subgraphs.items[0]
  expect(within && [...waypointsOf(within).values()]).toEqual([[{ id: '2', pos: [7, 8] }]])
  expect(made && waypointsOf(made.document).size).toBe(0)
  const back = made && dissolve(made.document, undefined, made.host, EDIT_TYPES)
  expect(back && [...waypointsOf(back.document).values()]).toHaveLength(1)
})

test('a host that holds null for a widget wins over the value inside, also when it is dissolved', () => {
  const edits = [
    { name: 'makeSubgraph', graph: 0, numbers: [0, 1, 7, 0] },
    { name: 'promote', graph: 2, numbers: [8, 0, 0, 0] },
    { name: 'setWidget', graph: 2, numbers: [23, 0, 0, 0] },
  ] as const
  const document = session(EMPTY_DOCUMENTS.plain, edits).at(-1) ?? beginning()
  const host = document.nodes.items.find(({ widgetValues }) => JSON.stringify(widgetValues) === '[null]')
  const dissolved = dissolve(document, undefined, host?.id ?? '', EDIT_TYPES)
  expect(dissolved && does(dissolved.document)).toEqual(does(document))
})
