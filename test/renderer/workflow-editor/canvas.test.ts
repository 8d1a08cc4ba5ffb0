import { describe, expect, test } from 'vitest'
import type { WorkflowDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { addNode } from '../../../src-main/features/workflows/rules/edit/add-node.ts'
import { moveNodes } from '../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { widgetToInput } from '../../../src-main/features/workflows/rules/edit/widgets.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject } from '../../../src-main/lib/json/value.ts'
import { nextNode, readingOrder } from '../../../src-renderer/features/workflow-editor/canvas/use-focus-in-canvas.ts'
import { linksUnder } from '../../../src-renderer/features/workflow-editor/canvas/use-moving.ts'
import { cellsAround, linksWithin } from '../../../src-renderer/features/workflow-editor/canvas/use-visible-links.ts'
import { isKnownSlot, safeColour, slotColour } from '../../../src-renderer/features/workflow-editor/graph/colours.ts'
import { createFlowMaker } from '../../../src-renderer/features/workflow-editor/graph/flow-graph.ts'
import {
  endsOfLink,
  linkPath,
  pointOn,
  segmentAt,
  widgetEnd,
} from '../../../src-renderer/features/workflow-editor/graph/links.ts'
import { fittingInputs, fittingOutputs } from '../../../src-renderer/features/workflow-editor/graph/make-link.ts'
import { firstView, savedView } from '../../../src-renderer/features/workflow-editor/graph/viewport.ts'
import {
  type Addable,
  nameOf,
  readDragged,
  writeDragged,
} from '../../../src-renderer/features/workflow-editor/palette/addable-nodes.ts'
import { createCanvasStore } from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import { createEditorStore } from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { makeDocument } from '../editor-bench/make-document.ts'
import { testPlatform } from '../support.tsx'
import { typesWith } from './widgets-support.tsx'

function read(text: string): WorkflowDocument {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('no object')
  return readDocument(parsed)
}

function samplerDocument() {
  const types = typesWith()
  const type = types.get('KSampler')
  if (type === undefined) throw new Error('no class')
  return { document: addNode(read(makeDocument(0)), undefined, { type, pos: [0, 0] }).document, types }
}

const flowOf = (document: WorkflowDocument) => createFlowMaker()(document, undefined, new Map())

describe('the canvas', () => {
  test('a node that an edit did not touch stays the very same object', () => {
    const make = createFlowMaker()
    const types = new Map()
    const document = read(makeDocument(10))
    const before = make(document, undefined, types)
    const after = make(moveNodes(document, undefined, new Map([['5', [1, 2]]])), undefined, types)
    const changed = after.nodes.filter((node, at) => node !== before.nodes[at]).map(({ id }) => id)
    expect(changed).toEqual(['5'])
    expect(after.nodes.find(({ id }) => id === '5')?.position).toEqual({ x: 1, y: 2 - 30 })
  })

  test('links end at slots that are there; others are left out', () => {
    const raw = JSON.parse(makeDocument(10))
    raw.links.push([99, 1, 7, 6, 0, 'MODEL'], [100, 44, 0, 6, 0, 'MODEL'])
    const { links, nodes } = flowOf(read(JSON.stringify(raw)))
    expect(links.map(({ id }) => id)).not.toContain('99')
    expect(links.map(({ id }) => id)).not.toContain('100')
    const handles = new Map(nodes.map(({ id, handles = [] }) => [id, handles.map((handle) => handle.id)]))
    for (const link of links) {
      expect(handles.get(link.source)).toContain(link.sourceHandle)
      expect(handles.get(link.target)).toContain(link.targetHandle)
    }
  })

  test('a collapsed group stands for what is in it, with the links that lead out', () => {
    const raw = JSON.parse(makeDocument(10))
    raw.groups = [{ title: 'Prompts', bounding: [700, -60, 440, 540], flags: { collapsed: true } }]
    const { nodes, links } = flowOf(read(JSON.stringify(raw)))
    const ids = nodes.map(({ id }) => id)
    expect(ids).toContain('group:0')
    expect(ids).not.toContain('3')
    expect(links.find(({ id }) => id === '6')).toMatchObject({ source: 'group:0', sourceHandle: 'out', target: '6' })
  })

  test('points of a link are shown once, and names like __proto__ are names', () => {
    const raw = JSON.parse(makeDocument(2))
    raw.extra = { reroutes: [{ id: 1, pos: [300, 50], linkIds: [1] }], linkExtensions: [{ id: 1, parentId: 1 }] }
    raw.nodes.push({ id: '__proto__', type: 'constructor', pos: [0, 0], size: [100, 50] })
    const { nodes, links } = flowOf(read(JSON.stringify(raw)))
    expect(nodes.filter(({ type }) => type === 'waypoint').map(({ id }) => id)).toEqual(['point:1'])
    expect(links[0]?.data?.points).toEqual([{ id: '1', pos: [300, 50] }])
    expect(nodes.some(({ id }) => id === '__proto__')).toBe(true)
  })

  test('where a document was looked at is read, and nonsense is not', () => {
    const looked = (ds: unknown) => savedView(read(JSON.stringify({ ...JSON.parse(makeDocument(1)), extra: { ds } })))
    expect(looked({ scale: 0.5, offset: [100, 40] })).toEqual({ x: 50, y: 20, zoom: 0.5 })
    expect(looked({ scale: 0, offset: [1, 1] })).toBeUndefined()
    expect(looked({ scale: 'x', offset: [1, 1] })).toBeUndefined()
    expect(looked(undefined)).toBeUndefined()
  })

  test('opens at the saved view if half of its nodes are visible there, else fitted to the window', () => {
    const first = (width: number) => {
      const document = read(
        JSON.stringify({ ...JSON.parse(makeDocument(1)), extra: { ds: { scale: 1, offset: [9, 9] } } }),
      )
      const made = flowOf(document)
      const flow = { ...made, address: undefined, byId: new Map(made.nodes.map((node) => [node.id, node])) }
      return firstView(createEditorStore(document, new Map()), flow, {
        width,
        height: 600,
        hasMinimap: false,
        barHeight: 46,
      })
    }
    expect(first(9 + 158)).toEqual({ x: 9, y: 9, zoom: 1 })
    expect(first(9 + 157).zoom).toBeLessThan(1)
  })
})

describe('links', () => {
  test('slots that fit: those of the very type and free ones first', () => {
    const { nodes } = flowOf(read(makeDocument(10)))
    const sampler = nodes.find(({ id }) => id === '6')
    if (sampler === undefined) throw new Error('no sampler')
    expect(fittingInputs(sampler, 'CONDITIONING').map(({ name }) => name)).toEqual(['positive', 'negative'])
    expect(fittingInputs(sampler, 'IMAGE')).toEqual([])
    expect(fittingOutputs(sampler, 'LATENT').map(({ end }) => end)).toEqual([{ node: '6', slot: 0 }])
  })

  test('a widget is an end of links, and one that is an input has a row of its own', () => {
    const { document, types } = samplerDocument()
    const flowNode = (now: WorkflowDocument) =>
      createFlowMaker()(now, undefined, types).nodes.find(({ id }) => id === '1')
    expect(widgetEnd(flowNode(document), 'steps')).toEqual({ node: '1', name: 'steps' })
    expect(widgetEnd(flowNode(document), 'no such')).toBeUndefined()
    const asInput = widgetToInput(document, undefined, { node: '1', name: 'steps', types })
    expect(widgetEnd(flowNode(asInput), 'steps')).toEqual({ node: '1', name: 'steps', slot: 4 })
    const middle = (now: WorkflowDocument) => flowNode(now)?.handles?.find(({ id }) => id === 'i4')?.y
    expect(middle(asInput)).toBe(30 + 4 + 4 * 20 + 10 - 0.5)
    const shown = (now: WorkflowDocument) => {
      const node = flowNode(now)
      return node?.type === 'node' ? node.data.own.widgets.some(({ name }) => name === 'steps') : undefined
    }
    expect([shown(document), shown(asInput)]).toEqual([true, false])
  })

  test('a picture that is loaded has room on its node, new or as an older file has it', () => {
    const types = typesWith()
    const type = types.get('LoadImage')
    if (type === undefined) throw new Error('no class')
    const { document } = addNode(read(makeDocument(0)), undefined, { type, pos: [0, 0] })
    expect(document.nodes.items[0]?.size?.[1]).toBeGreaterThan(180)
    const heightWith = (values: string) => {
      const small = `{"id":1,"type":"LoadImage","pos":[0,0],"size":[300,60],"widgets_values":[${values}]}`
      const text = JSON.stringify({ ...JSON.parse(makeDocument(0)), nodes: [JSON.parse(small)] })
      return createFlowMaker()(read(text), undefined, types).nodes[0]?.height ?? 0
    }
    expect(heightWith('"a.png","image"') - heightWith('null,"image"')).toBeGreaterThan(100)
  })

  test('a node is dropped on the links whose middle it covers, the nearest first', () => {
    const { links, nodes } = flowOf(read(makeDocument(10)))
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const ends = { from: byId.get('5'), to: byId.get('6') }
    const x = ((ends.from?.position.x ?? 0) + (ends.from?.width ?? 0) + (ends.to?.position.x ?? 0)) / 2
    expect(linksUnder({ links, byId }, { x: x - 10, y: 300, width: 20, height: 200 })).toEqual(['8'])
    expect(linksUnder({ links, byId }, { x: -500, y: -500, width: 20, height: 20 })).toEqual([])
    expect(linksUnder({ links, byId }, { x: -5000, y: -5000, width: 20_000, height: 20_000 })).toHaveLength(
      links.length,
    )
  })

  test('a point for a link is placed by where its slots are, and not by where its nodes are', () => {
    const raw = JSON.parse(makeDocument(2))
    raw.extra = { reroutes: [{ id: 1, pos: [330, 400], linkIds: [1] }], linkExtensions: [{ id: 1, parentId: 1 }] }
    const { nodes, links } = flowOf(read(JSON.stringify(raw)))
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const [link] = links
    if (link === undefined) throw new Error('no link')
    const ends = endsOfLink(link, byId)
    const [first, second] = [byId.get(link.source), byId.get(link.target)]
    expect(ends).toMatchObject({ from: { x: (first?.position.x ?? 0) + (first?.width ?? 0) - 0.5 } })
    expect(ends).toMatchObject({ to: { x: (second?.position.x ?? 0) - 0.5 } })
    const beside = ({ x, y } = { x: 0, y: 0 }) => ({ x: (x + 330) / 2, y: (y + 400) / 2 })
    expect(pointOn(link, beside(ends?.from), { byId }).before).toBe(0)
    expect(pointOn(link, beside(ends?.to), { byId }).before).toBe(1)
    expect(pointOn(link, { x: 1, y: 2 }, { byId: new Map() })).toEqual({ linkId: link.id, pos: [1, 2] })
  })

  test('a point goes between those that it lies between', () => {
    const points = [{ id: '1', pos: [100, 0] }] as const
    expect(segmentAt({ x: 50, y: 5 }, { x: 0, y: 0 }, { x: 200, y: 0 }, points)).toBe(0)
    expect(segmentAt({ x: 150, y: 5 }, { x: 0, y: 0 }, { x: 200, y: 0 }, points)).toBe(1)
    expect(linkPath({ x: 0, y: 0 }, { x: 200, y: 0 }, points).match(/C/g)).toHaveLength(2)
  })

  test('types have their colours; of a list the first that has one, of others none', () => {
    expect(slotColour('LATENT')).toBe('var(--slot-latent)')
    expect(slotColour('FOO,MASK')).toBe('var(--slot-mask)')
    expect(slotColour('constructor')).toBe('var(--slot-unknown)')
    expect([isKnownSlot('MODEL'), isKnownSlot('toString')]).toEqual([true, false])
  })

  test.each([
    ['#432', '#432'],
    ['rgb(1, 2, 3)', 'rgb(1, 2, 3)'],
    ['red; background: url(http://x)', undefined],
    ['url(http://x)', undefined],
    ['var(--x)', undefined],
  ])('colour %s of a file is %s', (given, safe) => {
    expect(safeColour(given)).toBe(safe)
  })
})

describe('the next node', () => {
  const { nodes } = flowOf(read(makeDocument(10)))
  const node = (id: string) => {
    const found = nodes.find((one) => one.id === id)
    if (found === undefined) throw new Error(`no node ${id}`)
    return found
  }
  test.each([
    ['1', [1, 0], '2'],
    ['2', [-1, 0], '1'],
    ['3', [0, 1], '4'],
    ['4', [0, -1], '3'],
    ['1', [-1, 0], undefined],
  ] as const)('from %s in direction %s is %s', (from, direction, to) => {
    expect(nextNode(nodes, node(from), direction)?.id).toBe(to)
  })

  test('one reads from left to right', () => {
    expect(readingOrder(nodes).map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
  })
})

describe('stores', () => {
  test('preferences are kept; what another version wrote is not taken for one', () => {
    const platform = testPlatform()
    createCanvasStore(platform).getState().prefer({ wheel: 'pan', snaps: true, sideWidth: 400 })
    expect(createCanvasStore(platform).getState().preferences).toMatchObject({
      wheel: 'pan',
      snaps: true,
      sideWidth: 400,
    })
    platform.preferences.set('workflow-canvas', '{"wheel":7,"snaps":"x","sideWidth":99999}')
    expect(createCanvasStore(platform).getState().preferences).toMatchObject({
      wheel: 'zoom',
      snaps: false,
      sideWidth: 720,
    })
    platform.preferences.set('workflow-canvas', 'half')
    expect(createCanvasStore(platform).getState().preferences.hasMinimap).toBe(true)
  })

  test('panels that leave no room begin folded, which is no preference', () => {
    const shown = (width: number) =>
      createCanvasStore(testPlatform(), { width, isSideOpen: true }).getState().preferences
    expect(shown(800)).toMatchObject({ isPaletteOpen: false, isSideOpen: false })
    expect(shown(1024)).toMatchObject({ isPaletteOpen: false, isSideOpen: true })
    expect(shown(1440)).toMatchObject({ isPaletteOpen: true, isSideOpen: true })
  })

  test('the inspector begins closed, also where it was open before', () => {
    const platform = testPlatform()
    createCanvasStore(platform).getState().prefer({ isSideOpen: true, sideWidth: 400 })
    expect(createCanvasStore(platform).getState().preferences).toMatchObject({ isSideOpen: false, sideWidth: 400 })
  })

  test('panels fold and come back with the width of the window, and what is chosen meanwhile stays', () => {
    const platform = testPlatform()
    const store = createCanvasStore(platform, { width: 1440, isSideOpen: true })
    const shown = () => store.getState().preferences
    store.getState().resize(800)
    expect(shown()).toMatchObject({ isPaletteOpen: false, isSideOpen: false })
    store.getState().prefer({ isPaletteOpen: true, snaps: true })
    store.getState().resize(820)
    expect(shown()).toMatchObject({ isPaletteOpen: true, isSideOpen: false })
    store.getState().resize(1440)
    expect(shown()).toMatchObject({ isPaletteOpen: true, isSideOpen: true, snaps: true })
    expect(createCanvasStore(platform, { width: 1440, isSideOpen: true }).getState().preferences).toEqual(shown())
  })

  test('leading to a node selects it, and undo leads back to where one was', () => {
    const editor = createEditorStore(read(makeDocument(10)), new Map())
    editor.getState().reveal([], ['4'])
    expect(editor.getState()).toMatchObject({ revealed: { at: 1, ids: ['4'] }, selection: new Set(['4']) })
    const before = editor.getState().document
    editor.getState().edit('Move', (document) => moveNodes(document, undefined, new Map([['4', [0, 0]]])), 'keys')
    editor.getState().edit('Move', (document) => moveNodes(document, undefined, new Map([['4', [9, 9]]])), 'keys')
    editor.getState().undo()
    expect(editor.getState().document).toBe(before)
  })
})

test('a subgraph that is dragged from the palette keeps its name, and a class that is not known here is nothing', () => {
  const held = new Map<string, string>()
  const hand = {
    setData: (type: string, text: string) => void held.set(type, text),
    getData: (type: string) => held.get(type) ?? '',
  } as unknown as DataTransfer
  const dragged = (what: Addable) => {
    writeDragged(hand, what)
    return readDragged(hand, new Map())
  }
  expect(readDragged(hand, new Map())).toBeUndefined()
  const subgraph = dragged({ kind: 'subgraph', definition: '0b6e-uuid', name: 'Prompts' })
  expect(subgraph && nameOf(subgraph)).toBe('Prompts')
  expect(dragged({ kind: 'note' })).toEqual({ kind: 'note' })
  expect(dragged({ kind: 'class', type: { name: 'Gone' } as never })).toBeUndefined()
})

describe('links near the view', () => {
  const view = { transform: [-4000, -2000, 0.35] as [number, number, number], width: 1440, height: 900 }
  const visible = { x: 4000 / 0.35, y: 2000 / 0.35, width: 1440 / 0.35, height: 900 / 0.35 }

  test.each([0.01, 0.31, 0.35, 1, 4])('are in cells that hold the whole view at zoom %d', (zoom) => {
    for (let moved = -3000; moved <= 3000; moved += 617) {
      const cells = cellsAround({ ...view, transform: [moved, -moved, zoom] })
      const [left, top] = [-moved / zoom, moved / zoom]
      expect(cells.x).toBeLessThanOrEqual(left)
      expect(cells.y).toBeLessThanOrEqual(top)
      expect(cells.x + cells.width).toBeGreaterThanOrEqual(left + view.width / zoom)
      expect(cells.y + cells.height).toBeGreaterThanOrEqual(top + view.height / zoom)
    }
  })

  test('are all that cross it, and few others of a large graph', () => {
    const { nodes, links } = flowOf(read(makeDocument(5000)))
    const crossing = new Set(linksWithin(visible, links, nodes))
    const near = linksWithin(cellsAround(view), links, nodes)
    expect(crossing.size).toBeGreaterThan(50)
    expect(crossing.difference(new Set(near)).size).toBe(0)
    expect(near.length).toBeLessThan(links.length / 5)
  })
})
