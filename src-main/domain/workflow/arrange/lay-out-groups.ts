/** Places for nodes and the groups around them: a group keeps its nodes, and stands as one box among the others. */
import { around, GROUP_PADDING, GROUP_TITLE_PX, type Rectangle } from '../edit/groups.ts'
import { type Box, layOut, type Place } from './lay-out.ts'

/** A group. `place`: its place in the list of its graph; `members`: ids of all nodes in it. */
export type LaidGroup = {
  readonly place: number
  readonly bounds: Rectangle
  readonly members: ReadonlySet<string>
}

/** Where everything goes: upper left corners of nodes by id, boxes of groups by their places. */
export type LaidOut = {
  readonly nodes: ReadonlyMap<string, Place>
  readonly bounds: ReadonlyMap<number, Rectangle>
}

/** Places nodes and groups from (0, 0) on. A node in several groups is laid out in the smallest. */
export function layOutGroups(boxes: readonly Box[], groups: readonly LaidGroup[]): LaidOut {
  // The smallest first: each goes into the smallest of the others that has all its nodes.
  const ordered = groups.toSorted((one, other) => areaOf(one) - areaOf(other))
  const parents = new Map(ordered.map((group, at) => [group, ordered.slice(at + 1).find((one) => holds(one, group))]))
  const homes = new Map(boxes.map(({ id }) => [id, ordered.find(({ members }) => members.has(id))]))

  const nodes = new Map<string, Place>()
  const bounds = new Map<number, Rectangle>()
  const childrenOf = Map.groupBy(ordered, (group) => parents.get(group))
  const boxesOf = Map.groupBy(boxes, ({ id }) => homes.get(id))
  // Within a group its inner groups are boxes too, named by what no node is called.
  const nameOf = (group: LaidGroup) => `group ${group.place}`

  /** The box that a node is part of within a group; undefined where it is outside of it. */
  function boxWithin(id: string, group: LaidGroup | undefined): string | undefined {
    const home = homes.get(id)
    if (home === group) return homes.has(id) ? id : undefined
    for (let one = home; one !== undefined; one = parents.get(one)) if (parents.get(one) === group) return nameOf(one)
    return undefined
  }

  /** Lays out what is in a group, from its own upper left corner on. @returns the size of all of it */
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
    const places = layOut(all)
    const [left, top] = group === undefined ? [0, 0] : [GROUP_PADDING, GROUP_PADDING + GROUP_TITLE_PX]
    const at = (id: string): Place => {
      const { x, y } = places.get(id) ?? { x: 0, y: 0 }
      return { x: x + left, y: y + top }
    }
    for (const { id } of own) nodes.set(id, at(id))
    for (const { child, size } of inner) {
      const corner = at(nameOf(child))
      bounds.set(child.place, { ...corner, ...size })
      moveInto(child, corner)
    }
    const size = around(all.map((box) => ({ ...at(box.id), width: box.width, height: box.height })))
    const { x = 0, y = 0, width = 0, height = 0 } = size ?? {}
    return {
      width: x + width + (group === undefined ? 0 : GROUP_PADDING),
      height: y + height + (group === undefined ? 0 : GROUP_PADDING),
    }
  }

  // What was laid out within a group was so from the group's own corner on.
  function moveInto(group: LaidGroup, by: Place): void {
    for (const { id } of boxesOf.get(group) ?? []) nodes.set(id, moved(nodes.get(id) ?? by, by))
    for (const child of childrenOf.get(group) ?? []) {
      const box = bounds.get(child.place)
      if (box !== undefined) bounds.set(child.place, { ...box, ...moved(box, by) })
      moveInto(child, by)
    }
  }

  layOutIn(undefined)
  return { nodes, bounds }
}

type Size = { readonly width: number; readonly height: number }

const moved = ({ x, y }: Place, by: Place): Place => ({ x: x + by.x, y: y + by.y })
const areaOf = ({ bounds }: LaidGroup): number => bounds.width * bounds.height
const holds = (one: LaidGroup, other: LaidGroup): boolean => other.members.isSubsetOf(one.members)
