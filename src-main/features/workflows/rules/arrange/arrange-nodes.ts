import type { Graph, GraphNode, WorkflowDocument } from '../document/document.ts'
import type { Pair } from '../document/fields.ts'
import { TITLE_PX } from '../document/node-size.ts'
import { type GraphAddress, graphAt } from '../edit/graph-at.ts'
import {
  around,
  boundsOf,
  GROUP_PADDING,
  GROUP_TITLE_PX,
  groupMembers,
  nodeBounds,
  type Rectangle,
  setGroup,
} from '../edit/groups.ts'
import { moveNodes } from '../edit/node-fields.ts'
import { type Box, layOut, type Position } from './lay-out.ts'

export function alignNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  by: Alignment,
): WorkflowDocument {
  return moveTo(document, at, align(boxesOf(document, at, ids), by))
}

export function distributeNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  axis: Axis,
): WorkflowDocument {
  return moveTo(document, at, distribute(boxesOf(document, at, ids), axis))
}

/**
 * Lays out by depth and keeps the corner; a fully selected group counts as one box.
 * @param ids empty: all nodes
 */
export function layOutNodes(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): WorkflowDocument {
  const graph = graphAt(document, at)
  if (graph === undefined) return document
  const all = ids.size > 0 ? ids : new Set(graph.nodes.items.map(({ id = '' }) => id))
  const boxes = boxesOf(document, at, all)
  const groups = groupsAmong(graph, all)
  const corner = around([...boxes, ...groups.map(({ bounds }) => bounds)])
  const into = Map.groupBy(graph.links.items, ({ to }) => to.node)
  const sources = (id: string) => (into.get(id) ?? []).map(({ from }) => from.node)
  const { nodes, bounds } = layOutGroups(
    boxes.map((box) => ({ ...box, from: sources(box.id) })),
    groups,
  )
  const { x = 0, y = 0 } = corner ?? {}
  const moved = moveTo(document, at, new Map([...nodes].map(([id, one]) => [id, [one.x + x, one.y + y]])))
  return [...bounds].reduce((changed, [index, one]) => {
    const next = { ...one, x: one.x + x, y: one.y + y }
    const group = graph.groups.items[index]
    const isSame = group !== undefined && sameBox(boundsOf(group), next)
    return isSame ? changed : setGroup(changed, at, index, { bounds: next })
  }, moved)
}

const sameBox = (one: Rectangle | undefined, other: Rectangle): boolean =>
  one?.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

function groupsAmong({ groups, nodes }: Graph, ids: ReadonlySet<string>): readonly LaidGroup[] {
  return groups.items.flatMap((group, index) => {
    const [bounds, members] = [boundsOf(group), groupMembers(group, nodes.items)]
    const isWhole = bounds !== undefined && members.length > 0 && members.every((id) => ids.has(id))
    return isWhole ? [{ index: index, bounds, members: new Set(members) }] : []
  })
}

function boxesOf(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): readonly PlacedNode[] {
  const nodes: readonly GraphNode[] = graphAt(document, at)?.nodes.items ?? []
  return nodes.flatMap((node) => (ids.has(node.id ?? '') ? [{ id: node.id ?? '', ...nodeBounds(node) }] : []))
}

// A node's position is its body, below the title bar.
function moveTo(document: WorkflowDocument, at: GraphAddress, corners: ReadonlyMap<string, Pair>): WorkflowDocument {
  return moveNodes(document, at, new Map([...corners].map(([id, [x, y]]) => [id, [x, y + TITLE_PX]])))
}

type LaidGroup = {
  readonly index: number
  readonly bounds: Rectangle
  readonly members: ReadonlySet<string>
}

type LaidOut = {
  readonly nodes: ReadonlyMap<string, Position>
  readonly bounds: ReadonlyMap<number, Rectangle>
}

function layOutGroups(boxes: readonly Box[], groups: readonly LaidGroup[]): LaidOut {
  // Smallest first: each goes into the smallest containing group.
  const ordered = groups.toSorted((one, other) => areaOf(one) - areaOf(other))
  const parents = new Map(ordered.map((group, at) => [group, ordered.slice(at + 1).find((one) => holds(one, group))]))
  const homes = new Map(boxes.map(({ id }) => [id, ordered.find(({ members }) => members.has(id))]))

  const nodes = new Map<string, Position>()
  const bounds = new Map<number, Rectangle>()
  const childrenOf = Map.groupBy(ordered, (group) => parents.get(group))
  const boxesOf = Map.groupBy(boxes, ({ id }) => homes.get(id))
  const nameOf = (group: LaidGroup) => `group ${group.index}`

  function boxWithin(id: string, group: LaidGroup | undefined): string | undefined {
    const home = homes.get(id)
    if (home === group) return homes.has(id) ? id : undefined
    for (let one = home; one !== undefined; one = parents.get(one)) if (parents.get(one) === group) return nameOf(one)
    return undefined
  }

  function layOutIn(group: LaidGroup | undefined): Size {
    const inner = (childrenOf.get(group) ?? []).map((child) => ({ child, size: layOutIn(child) }))
    const own = boxesOf.get(group) ?? []
    const sources = (ids: Iterable<string>, self: string) =>
      [...ids].flatMap((id) => boxWithin(id, group) ?? []).filter((name) => name !== self)
    const all: Box[] = [
      ...own.map((box) => ({ ...box, from: sources(box.from, box.id) })),
      ...inner.map(({ child, size }) => {
        const from = boxes.flatMap((box) => (child.members.has(box.id) ? box.from : []))
        return { id: nameOf(child), ...size, from: sources(from, nameOf(child)) }
      }),
    ]
    const positions = layOut(all)
    const [left, top] = group === undefined ? [0, 0] : [GROUP_PADDING, GROUP_PADDING + GROUP_TITLE_PX]
    const at = (id: string): Position => {
      const { x, y } = positions.get(id) ?? { x: 0, y: 0 }
      return { x: x + left, y: y + top }
    }
    for (const { id } of own) nodes.set(id, at(id))
    for (const { child, size } of inner) {
      const corner = at(nameOf(child))
      bounds.set(child.index, { ...corner, ...size })
      moveInto(child, corner)
    }
    const size = around(all.map((box) => ({ ...at(box.id), width: box.width, height: box.height })))
    const { x = 0, y = 0, width = 0, height = 0 } = size ?? {}
    return {
      width: x + width + (group === undefined ? 0 : GROUP_PADDING),
      height: y + height + (group === undefined ? 0 : GROUP_PADDING),
    }
  }

  function moveInto(group: LaidGroup, by: Position): void {
    for (const { id } of boxesOf.get(group) ?? []) nodes.set(id, moved(nodes.get(id) ?? by, by))
    for (const child of childrenOf.get(group) ?? []) {
      const box = bounds.get(child.index)
      if (box !== undefined) bounds.set(child.index, { ...box, ...moved(box, by) })
      moveInto(child, by)
    }
  }

  layOutIn(undefined)
  return { nodes, bounds }
}

type Size = { readonly width: number; readonly height: number }

const moved = ({ x, y }: Position, by: Position): Position => ({ x: x + by.x, y: y + by.y })
const areaOf = ({ bounds }: LaidGroup): number => bounds.width * bounds.height
const holds = (one: LaidGroup, other: LaidGroup): boolean => other.members.isSubsetOf(one.members)

export type Axis = 'horizontally' | 'vertically'

export function distribute(boxes: readonly PlacedNode[], axis: Axis): ReadonlyMap<string, Pair> {
  const isAcross = axis === 'horizontally'
  const start = (box: PlacedNode) => (isAcross ? box.x : box.y)
  const length = (box: PlacedNode) => (isAcross ? box.width : box.height)
  const ordered = [...boxes].sort((one, other) => start(one) - start(other))
  const [first, last] = [ordered[0], ordered.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const taken = ordered.reduce((sum, box) => sum + length(box), 0)
  const gap = (start(last) + length(last) - start(first) - taken) / Math.max(1, ordered.length - 1)
  let next = start(first)
  return new Map(
    ordered.map((box) => {
      const at = next
      next += length(box) + gap
      return [box.id, isAcross ? [at, box.y] : [box.x, at]]
    }),
  )
}

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'

type PlacedNode = Rectangle & { readonly id: string }

export function align(boxes: readonly PlacedNode[], by: Alignment): ReadonlyMap<string, Pair> {
  const left = Math.min(...boxes.map(({ x }) => x))
  const right = Math.max(...boxes.map(({ x, width }) => x + width))
  const top = Math.min(...boxes.map(({ y }) => y))
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height))
  const cornerFor: Readonly<Record<Alignment, (box: PlacedNode) => Pair>> = {
    left: ({ y }) => [left, y],
    centre: ({ y, width }) => [(left + right - width) / 2, y],
    right: ({ y, width }) => [right - width, y],
    top: ({ x }) => [x, top],
    middle: ({ x, height }) => [x, (top + bottom - height) / 2],
    bottom: ({ x, height }) => [x, bottom - height],
  }
  return new Map(boxes.map((box) => [box.id, cornerFor[by](box)]))
}
