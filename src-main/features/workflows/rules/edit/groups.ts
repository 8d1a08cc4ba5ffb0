import { present } from '../../../../lib/json/plain.ts'
import { asDouble, isArray, isObject, type JsonValue, jsonNumber, withKey } from '../../../../lib/json/value.ts'
import { type GraphNode, type Group, readGroup, type WorkflowDocument } from '../document/document.ts'
import { idJson, type Pair } from '../document/fields.ts'
import { TITLE_PX } from '../document/node-size.ts'
import { editGraph } from './draft.ts'
import { changeGraph, type GraphAddress } from './graph-at.ts'

export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** px between a group's edge and its nodes. */
export const GROUP_PADDING = 10
export const GROUP_TITLE_PX = 40
const COLOR = '#3f789e'
const EMPTY_SIZE: Pair = [400, 300]

export function boundsOf({ bounding }: Group): Rectangle | undefined {
  const [x, y, width, height] = isArray(bounding) ? bounding.map(asDouble) : []
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined
  return { x, y, width, height }
}

export function nodeBounds({ pos = [0, 0], size = [0, 0], flags }: GraphNode): Rectangle {
  const isCollapsed = isObject(flags) && flags.get('collapsed') === true
  return { x: pos[0], y: pos[1] - TITLE_PX, width: size[0], height: (isCollapsed ? 0 : size[1]) + TITLE_PX }
}

export function around(rectangles: readonly Rectangle[]): Rectangle | undefined {
  const [first] = rectangles
  if (first === undefined) return undefined
  let [left, top, right, bottom] = [first.x, first.y, first.x, first.y]
  for (const { x, y, width, height } of rectangles) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

export function addGroup(
  document: WorkflowDocument,
  at: GraphAddress,
  group: { readonly title: string; readonly ids: ReadonlySet<string>; readonly pos?: Pair },
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const nodes = draft.nodes.all().filter(({ id = '' }) => group.ids.has(id))
    const inner = around(nodes.map(nodeBounds))
    const [x, y] = group.pos ?? [0, 0]
    const bounds =
      inner === undefined
        ? { x, y, width: EMPTY_SIZE[0], height: EMPTY_SIZE[1] }
        : {
            x: inner.x - GROUP_PADDING,
            y: inner.y - GROUP_PADDING - GROUP_TITLE_PX,
            width: inner.width + 2 * GROUP_PADDING,
            height: inner.height + 2 * GROUP_PADDING + GROUP_TITLE_PX,
          }
    const added = readGroup(
      new Map<string, JsonValue>([
        ['id', idJson(draft.newId('group')) ?? null],
        ['title', group.title],
        ['bounding', boundingJson(bounds)],
        ['color', COLOR],
        ['font_size', { number: '24' }],
        ['flags', new Map()],
      ]),
    )
    const { groups } = draft.graph()
    draft.change({ groups: { ...groups, items: [...groups.items, added] } })
  })
}

const boundingJson = ({ x, y, width, height }: Rectangle): JsonValue => [x, y, width, height].map(jsonNumber)

export function groupMembers(group: Group, nodes: readonly GraphNode[]): readonly string[] {
  const box = boundsOf(group)
  if (box === undefined) return []
  return nodes.flatMap((node) => {
    const { x, y, width, height } = nodeBounds(node)
    const [middleX, middleY] = [x + width / 2, y + height / 2]
    const isIn = middleX >= box.x && middleX <= box.x + box.width && middleY >= box.y && middleY <= box.y + box.height
    return isIn ? (node.id ?? []) : []
  })
}

export function moveGroupBox(group: Group, [right, down]: Pair): Group {
  const box = boundsOf(group)
  return box === undefined ? group : { ...group, bounding: boundingJson({ ...box, x: box.x + right, y: box.y + down }) }
}

/** Changeable fields of a group. A collapsed group shows only its title; other editors preserve the flag. */
export type GroupChange = {
  readonly title?: string
  readonly color?: string
  readonly bounds?: Rectangle
  readonly isCollapsed?: boolean
}

export function setGroup(
  document: WorkflowDocument,
  at: GraphAddress,
  index: number,
  { title, color, bounds, isCollapsed }: GroupChange,
): WorkflowDocument {
  return changeGraph(document, at, ({ groups }) => {
    const group = groups.items[index]
    if (group === undefined) return {}
    const changed: Group = {
      ...group,
      ...present({ title, color }),
      ...(bounds === undefined ? {} : { bounding: boundingJson(bounds) }),
      ...(isCollapsed === undefined ? {} : { flags: withCollapsed(group, isCollapsed) }),
    }
    return { groups: { ...groups, items: groups.items.with(index, changed) } }
  })
}

function withCollapsed({ flags }: Group, isCollapsed: boolean): JsonValue {
  return withKey(isObject(flags) ? flags : new Map(), 'collapsed', isCollapsed ? true : undefined)
}

export const isGroupCollapsed = ({ flags }: Group): boolean => isObject(flags) && flags.get('collapsed') === true

export function removeGroups(
  document: WorkflowDocument,
  at: GraphAddress,
  indexes: ReadonlySet<number>,
): WorkflowDocument {
  return changeGraph(document, at, ({ groups }) => {
    const items = groups.items.filter((_, index) => !indexes.has(index))
    return items.length === groups.items.length ? {} : { groups: { ...groups, items } }
  })
}
