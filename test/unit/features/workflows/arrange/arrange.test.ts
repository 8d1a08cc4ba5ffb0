import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Alignment,
  align,
  alignNodes,
  distribute,
  distributeNodes,
  layOutNodes,
} from '../../../../../src-main/features/workflows/rules/arrange/arrange-nodes.ts'
import { freeSpace, moveToFreeSpace } from '../../../../../src-main/features/workflows/rules/arrange/free-space.ts'
import {
  readDocument,
  type WorkflowDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import {
  boundsOf,
  groupMembers,
  nodeBounds,
  type Rectangle,
} from '../../../../../src-main/features/workflows/rules/edit/groups.ts'
import { moveNodes } from '../../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { beginning } from '../../../../support/random-edits.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const BOXES = [
  { id: 'a', x: 0, y: 0, width: 10, height: 20 },
  { id: 'b', x: 100, y: 50, width: 30, height: 10 },
  { id: 'c', x: 40, y: 200, width: 20, height: 100 },
]

describe('boxes', () => {
  test.each<readonly [Alignment, Readonly<Record<string, readonly [number, number]>>]>([
    ['left', { a: [0, 0], b: [0, 50], c: [0, 200] }],
    ['centre', { a: [60, 0], b: [50, 50], c: [55, 200] }],
    ['right', { a: [120, 0], b: [100, 50], c: [110, 200] }],
    ['top', { a: [0, 0], b: [100, 0], c: [40, 0] }],
    ['middle', { a: [0, 140], b: [100, 145], c: [40, 100] }],
    ['bottom', { a: [0, 280], b: [100, 290], c: [40, 200] }],
  ])('are lined up: %s', (by, places) => {
    expect(Object.fromEntries(align(BOXES, by))).toEqual(places)
  })

  test('stand with the same gaps between them; the first and the last stay', () => {
    expect(Object.fromEntries(distribute(BOXES, 'horizontally'))).toEqual({ a: [0, 0], c: [45, 200], b: [100, 50] })
    expect(Object.fromEntries(distribute(BOXES, 'vertically'))).toEqual({ a: [0, 0], b: [100, 105], c: [40, 200] })
    expect([...distribute([], 'vertically')]).toEqual([])
    expect([...align([], 'left')]).toEqual([])
  })
})

describe('nodes', () => {
  const document = beginning()
  const all = new Set(document.nodes.items.map(({ id = '' }) => id))

  test('are lined up by their title bars, and the others stay', () => {
    const [first, second, third] = document.nodes.items
    const lined = alignNodes(document, undefined, new Set([first?.id ?? '', second?.id ?? '']), 'top')
    const [one, two, three] = lined.nodes.items
    expect(one && nodeBounds(one).y).toBe(two && nodeBounds(two).y)
    expect(three).toBe(third)
    expect(distributeNodes(document, undefined, new Set(), 'vertically')).toBe(document)
  })

  test('are laid out without one over another, the sources on the left', () => {
    const laid = layOutNodes(document, undefined, new Set())
    const boxes = laid.nodes.items.map((node) => ({ id: node.id ?? '', ...nodeBounds(node) }))
    for (const one of boxes) {
      for (const other of boxes) {
        if (one.id >= other.id) continue
        const isApart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y
        expect(isApart, `${one.id} and ${other.id}`).toBe(true)
      }
    }
    const at = new Map(boxes.map((box) => [box.id, box.x]))
    for (const { from, to } of laid.links.items) expect(at.get(from.node)).toBeLessThan(at.get(to.node) ?? 0)
    expect(layOutNodes(laid, undefined, all)).toBe(laid)
  })

  test('are arranged with their groups, whose boxes hold them and nothing else', () => {
    const node = (id: number, from?: number) => ({
      id,
      type: 'X',
      pos: [id * 37, id * 11],
      size: [100, 50],
      inputs: [{ name: 'i', type: 'X', link: from === undefined ? null : id }],
      outputs: [{ name: 'o', type: 'X', links: [] }],
    })
    const links = [
      [2, 1, 0, 2, 0, 'X'],
      [3, 2, 0, 3, 0, 'X'],
      [5, 3, 0, 5, 0, 'X'],
    ]
    const groups = [
      { title: 'outer', bounding: [-10, -60, 200, 200] },
      { title: 'inner', bounding: [100, -20, 80, 100] },
      { title: 'empty', bounding: [5000, 5000, 10, 10] },
    ]
    const nodes = [node(1), node(2, 1), node(3, 2), node(4), node(5, 3)].map((one) =>
      one.id > 3 ? { ...one, pos: [900, one.id * 90] } : one,
    )
    const raw = { nodes, links, groups, version: 0.4 }
    const before = readDocument(objectOf(JSON.stringify(raw)))
    const members = (one: WorkflowDocument) => one.groups.items.map((group) => groupMembers(group, one.nodes.items))
    expect(members(before)).toEqual([['1', '2', '3'], ['2', '3'], []])
    const laid = layOutNodes(before, undefined, new Set())
    expect(members(laid)).toEqual(members(before))
    expect(laid.groups.items[2]).toBe(before.groups.items[2])
    const [outer, inner] = laid.groups.items.map((group) => boundsOf(group))
    const boxes = new Map(laid.nodes.items.map((one) => [one.id ?? '', nodeBounds(one)]))
    expect(['1', '2', '3'].every((id) => isWithin(boxes.get(id), outer))).toBe(true)
    expect(isWithin(inner, outer)).toBe(true)
    expect(boxes.get('1')?.x).toBeLessThan(boxes.get('2')?.x ?? 0)
    expect(boxes.get('5')?.x).toBeGreaterThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0))
    expect(layOutNodes(laid, undefined, new Set())).toBe(laid)
  })

  test('that are added find the nearest free place', () => {
    const box = { x: 0, y: 0, width: 100, height: 100 }
    expect(freeSpace([], box)).toEqual([0, 0])
    expect(freeSpace([{ x: -50, y: 0, width: 100, height: 100 }], box)).toEqual([74, 0])
    expect(freeSpace([{ x: 0, y: -80, width: 400, height: 100 }], box)).toEqual([0, 44])
    const many = Array.from({ length: 5000 }, (_, at) => ({
      x: (at % 100) * 110,
      y: Math.floor(at / 100) * 110,
      width: 100,
      height: 100,
    }))
    const [x, y] = freeSpace(many, { ...box, x: 5000, y: 2500 })
    expect(many.some((one) => one.x < x + 100 && x < one.x + 100 && one.y < y + 100 && y < one.y + 100)).toBe(false)
    const last = document.nodes.items.at(-1)?.id ?? ''
    const stacked = moveNodes(document, undefined, new Map([[last, document.nodes.items[0]?.pos ?? [0, 0]]]))
    const free = moveToFreeSpace(stacked, undefined, last)
    expect(free.nodes.items.filter((one, at) => one !== stacked.nodes.items[at]).map(({ id }) => id)).toEqual([last])
  })

  test('of a selection are laid out where it is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { minLength: 1 }), (ids) => {
        const laid = layOutNodes(document, undefined, new Set(ids))
        const moved = laid.nodes.items.filter((node, at) => node !== document.nodes.items[at])
        expect(moved.every(({ id = '' }) => ids.includes(id))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

function isWithin(one: Rectangle | undefined, other: Rectangle | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const isAcross = one.x >= other.x && one.x + one.width <= other.x + other.width
  return isAcross && one.y >= other.y && one.y + one.height <= other.y + other.height
}
