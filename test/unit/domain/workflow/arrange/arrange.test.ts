import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Alignment, align } from '../../../../../src-main/domain/workflow/arrange/align.ts'
import {
  alignNodes,
  distributeNodes,
  layOutNodes,
} from '../../../../../src-main/domain/workflow/arrange/arrange-nodes.ts'
import { distribute } from '../../../../../src-main/domain/workflow/arrange/distribute.ts'
import { nodeBounds } from '../../../../../src-main/domain/workflow/edit/groups.ts'
import { beginning } from '../../../../support/random-edits.ts'

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
