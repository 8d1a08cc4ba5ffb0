import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import {
  addBoundarySlot,
  removeBoundarySlot,
  renameBoundarySlot,
  setGraphName,
} from '../../../../../src-main/features/workflows/rules/edit/boundary.ts'
import {
  addGroup,
  groupMembers,
  removeGroups,
  setGroup,
} from '../../../../../src-main/features/workflows/rules/edit/groups.ts'
import {
  moveNodes,
  resizeNode,
  setCollapsed,
  setColour,
  setMode,
  setPinned,
  setTitle,
} from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { removeLinks } from '../../../../../src-main/features/workflows/rules/edit/remove.ts'
import {
  addReroute,
  moveReroutes,
  removeReroute,
  waypointsOf,
} from '../../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { brokenRules } from '../../../../support/graph-rules.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const TEXT =
  '{"nodes":[{"id":1,"type":"A","pos":[0,0],"size":{"0":100,"1":50},"flags":{"x":1},"mode":0,"outputs":[{"name":"o","type":"T","links":[5,6]}]},' +
  '{"id":2,"type":"B","pos":[300,0],"size":[100,50],"mode":4,"inputs":[{"name":"i","type":"T","link":5}]},' +
  '{"id":3,"type":"B","pos":[900,900],"size":[100,50],"inputs":[{"name":"i","type":"T","link":6}]}],' +
  '"links":[[5,1,0,2,0,"T"],[6,1,0,3,0,"T"]],"groups":[],"extra":{"ds":{"scale":1.0}},"version":0.4}'
const document = readDocument(objectOf(TEXT))
const text = (one: WorkflowDocument) => writeJson(writeDocument(one))
const only = (id: string) => new Set([id])

describe('a field of a node', () => {
  test.each([
    ['its place', moveNodes(document, undefined, new Map([['1', [5, 6]]])), '"pos":[0,0]', '"pos":[5,6]'],
    [
      'its size, in the form of the file',
      resizeNode(document, undefined, '1', [7, 8]),
      '{"0":100,"1":50}',
      '{"0":7,"1":8}',
    ],
    ['its mode', setMode(document, undefined, only('2'), 'mute'), '"mode":4', '"mode":2'],
    [
      'its flag, among others',
      setCollapsed(document, undefined, only('1'), true),
      '{"x":1}',
      '{"x":1,"collapsed":true}',
    ],
    ['its title', setTitle(document, undefined, '2', 'T'), '"link":5}]', '"link":5}],"title":"T"'],
    [
      'its colours',
      setColour(document, undefined, only('2'), { color: '#1', bgcolor: '#2' }),
      '"link":5}]',
      '"link":5}],"color":"#1","bgcolor":"#2"',
    ],
  ])('%s changes, and nothing else', (_, changed, before, after) => {
    expect(text(changed)).toBe(TEXT.replace(before, after))
  })

  test.each([
    ['place', moveNodes(document, undefined, new Map([['1', [0, 0]]]))],
    ['size', resizeNode(document, undefined, '1', [100, 50])],
    ['title', setTitle(document, undefined, '1', undefined)],
    ['mode', setMode(document, undefined, new Set(['1', '3']), 'always')],
    ['pin', setPinned(document, undefined, only('1'), false)],
    ['node', setTitle(document, undefined, '99', 'x')],
    ['graph', setTitle(document, 'no such', '1', 'x')],
  ])('the same %s gives the same document', (_, changed) => {
    expect(changed).toBe(document)
  })

  test('is taken back by doing the opposite, to the letter', () => {
    const pinned = setPinned(document, undefined, only('1'), true)
    expect(text(setPinned(pinned, undefined, only('1'), false))).toBe(TEXT)
  })
})

describe('a group', () => {
  const grouped = addGroup(document, undefined, { title: 'two', ids: new Set(['1', '2']) })
  const [group] = grouped.groups.items

  test('is drawn around nodes with their titles, and holds those whose middle is in it', () => {
    expect(JSON.parse(text(grouped)).groups).toEqual([
      expect.objectContaining({ id: 1, title: 'two', bounding: [-10, -80, 420, 140], flags: {} }),
    ])
    expect(group && groupMembers(group, grouped.nodes.items)).toEqual(['1', '2'])
  })

  test('is named, coloured, folded and removed', () => {
    const changed = setGroup(grouped, undefined, 0, { title: 'one', color: '#fff', isCollapsed: true })
    expect(JSON.parse(text(changed)).groups[0]).toMatchObject({
      title: 'one',
      color: '#fff',
      flags: { collapsed: true },
    })
    expect(text(removeGroups(grouped, undefined, new Set([0])))).toBe(TEXT)
  })
})

describe('points of a link', () => {
  const bent = addReroute(document, undefined, { linkId: '5', pos: [10, 10] }).document
  const ways = (one: WorkflowDocument) =>
    Object.fromEntries([...waypointsOf(one)].map(([id, way]) => [id, way.map(({ pos }) => pos[0])]))

  test('are kept as version 0.4 has them', () => {
    expect(JSON.parse(text(bent)).extra).toEqual({
      ds: { scale: 1 },
      reroutes: [{ id: 1, pos: [10, 10], linkIds: [5] }],
      linkExtensions: [{ id: 5, parentId: 1 }],
    })
  })

  test('go before and after one another', () => {
    const before = addReroute(bent, undefined, { linkId: '5', pos: [5, 5], before: 0 }).document
    const after = addReroute(before, undefined, { linkId: '5', pos: [20, 20] }).document
    expect(ways(after)).toEqual({ 5: [5, 10, 20] })
    const without = removeReroute(after, undefined, '1')
    expect(ways(without)).toEqual({ 5: [5, 20] })
    expect(ways(removeReroute(without, undefined, '3'))).toEqual({ 5: [5] })
    expect(ways(moveReroutes(without, undefined, new Map([['2', [7, 7]]])))).toEqual({ 5: [7, 20] })
    expect(brokenRules(without)).toEqual([])
  })

  test('are gone with their link', () => {
    expect(JSON.parse(text(removeLinks(bent, undefined, only('5')))).extra).toMatchObject({
      reroutes: [],
      linkExtensions: [],
    })
  })

  test('of version 1 are kept at the link', () => {
    const raw =
      '{"version":1,"state":{"lastRerouteId":4},"nodes":[{"id":1,"type":"A","outputs":[{"links":[5]}]},{"id":2,"type":"B","inputs":[{"link":5}]}],"links":[{"id":5,"origin_id":1,"origin_slot":0,"target_id":2,"target_slot":0,"type":"T","parentId":3}],"reroutes":[{"id":3,"pos":[1,1],"linkIds":[5]}]}'
    const { document: more, id } = addReroute(readDocument(objectOf(raw)), undefined, { linkId: '5', pos: [2, 2] })
    expect(id).toBe('5')
    expect(JSON.parse(text(more))).toMatchObject({
      links: [{ id: 5, parentId: 5 }],
      reroutes: [{ id: 3 }, { id: 5, parentId: 3, linkIds: [5] }],
      state: { lastRerouteId: 5 },
    })
    expect(ways(more)).toEqual({ 5: [1, 2] })
  })

  test('that lead in a circle are no reason to hang', () => {
    const raw = objectOf(
      '{"nodes":[],"links":[[5,1,0,2,0,"T"]],"extra":{"reroutes":[{"id":1,"parentId":2,"pos":[1,1]},{"id":2,"parentId":1,"pos":[2,2]}],"linkExtensions":[{"id":5,"parentId":1}]},"version":0.4}',
    )
    expect(ways(readDocument(raw))).toEqual({ 5: [2, 1] })
  })
})

describe('inputs and outputs of a subgraph', () => {
  const raw = objectOf(
    '{"last_node_id":9,"last_link_id":9,"nodes":[{"id":1,"type":"s","inputs":[{"name":"a","type":"T","link":7},{"name":"b","type":"INT","widget":{"name":"b"},"link":null}],"outputs":[],"widgets_values":[5]},{"id":2,"type":"A","outputs":[{"name":"o","type":"T","links":[7]}]}],"links":[[7,2,0,1,0,"T"]],"version":0.4,' +
      '"definitions":{"subgraphs":[{"id":"s","name":"S","inputs":[{"id":"u1","name":"a","type":"T","linkIds":[1]},{"id":"u2","name":"b","type":"INT","linkIds":[2]}],"outputs":[],"nodes":[{"id":8,"type":"B","inputs":[{"name":"x","type":"T","link":1},{"name":"y","type":"INT","link":2,"widget":{"name":"y"}}]}],"links":[{"id":1,"origin_id":-10,"origin_slot":0,"target_id":8,"target_slot":0,"type":"T"},{"id":2,"origin_id":-10,"origin_slot":1,"target_id":8,"target_slot":1,"type":"INT"}]}]}}',
  )
  const within = readDocument(raw)

  test('are added on both sides, with a name of their own', () => {
    const { document: more, slot } = addBoundarySlot(within, 's', { side: 'inputs', id: 'u3', name: 'a', type: 'X' })
    expect(slot).toBe(2)
    expect(JSON.parse(text(more)).definitions.subgraphs[0].inputs[2]).toMatchObject({
      id: 'u3',
      name: 'a_1',
      type: 'X',
    })
    expect(JSON.parse(text(more)).nodes[0].inputs[2]).toMatchObject({ name: 'a_1', type: 'X', link: null })
    expect(addBoundarySlot(within, 'none', { side: 'inputs', id: 'u', name: 'a', type: 'X' }).slot).toBe(-1)
  })

  test('are called otherwise on both sides, and keep the name by which they are matched', () => {
    const renamed = JSON.parse(text(renameBoundarySlot(within, 's', { side: 'inputs', slot: 0, label: 'first' })))
    expect(renamed.definitions.subgraphs[0].inputs[0]).toMatchObject({ name: 'a', label: 'first' })
    expect(renamed.nodes[0].inputs[0]).toMatchObject({ name: 'a', label: 'first' })
  })

  test('are removed with their links, and what is after them moves up', () => {
    const removed = removeBoundarySlot(within, 's', { side: 'inputs', slot: 0 })
    expect(brokenRules(removed)).toEqual([])
    expect(removed.links.items).toEqual([])
    const less = JSON.parse(text(removed))
    expect(less.definitions.subgraphs[0].links).toEqual([expect.objectContaining({ id: 2, origin_slot: 0 })])
    expect(less.nodes[0]).toMatchObject({ inputs: [{ name: 'b' }], widgets_values: [5] })
    const last = JSON.parse(text(removeBoundarySlot(removed, 's', { side: 'inputs', slot: 0 })))
    expect(last.nodes[0]).toMatchObject({ inputs: [], widgets_values: [] })
  })

  test('a subgraph is called otherwise', () => {
    expect(JSON.parse(text(setGraphName(within, 's', 'Better'))).definitions.subgraphs[0].name).toBe('Better')
  })
})
