// @vitest-environment node
import { expect, test } from 'vitest'
import {
  createMaskHistory,
  emptyMask,
  inverted,
  maskOf,
  paintLine,
  withMask,
} from '../../../src-renderer/features/workflow-editor/mask/mask.ts'

const HARD = { size: 2, hardness: 1, erases: false } as const
const rows = ({ width, data }: { readonly width: number; readonly data: Uint8ClampedArray }) =>
  Array.from({ length: data.length / width }, (_row, at) => [...data.slice(at * width, (at + 1) * width)])

test('a hard brush masks what is within it, along a line, and nothing outside the picture', () => {
  const mask = emptyMask(6, 4)
  expect(paintLine(mask, { x: 1, y: 1 }, { x: 4, y: 1 }, HARD)).toEqual({ x: 0, y: 0, width: 5, height: 2 })
  expect(rows(mask)).toEqual([
    [255, 255, 255, 255, 255, 0],
    [255, 255, 255, 255, 255, 0],
    [0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
  ])
  const outside = emptyMask(2, 2)
  expect(paintLine(outside, { x: -9, y: -9 }, { x: -5, y: -9 }, HARD)).toMatchObject({ width: 0, height: 0 })
  expect(rows(outside).flat()).toEqual([0, 0, 0, 0])
})

test('a soft brush gets less to its edge, never takes away where it paints, and erases as softly', () => {
  const soft = { size: 8, hardness: 0.25, erases: false }
  const mask = emptyMask(9, 1)
  paintLine(mask, { x: 4.5, y: 0.5 }, { x: 4.5, y: 0.5 }, soft)
  const once = rows(mask)
  expect(once).toEqual([[0, 85, 170, 255, 255, 255, 170, 85, 0]])
  paintLine(mask, { x: 4.5, y: 0.5 }, { x: 4.5, y: 0.5 }, soft)
  expect(rows(mask)).toEqual(once)
  paintLine(mask, { x: 4.5, y: 0.5 }, { x: 4.5, y: 0.5 }, { ...soft, erases: true })
  expect(rows(mask)).toEqual([[0, 85, 85, 0, 0, 0, 85, 85, 0]])
})

test('a masked pixel is transparent and keeps its colour; the mask can be read back from the picture', () => {
  const pixels = Uint8ClampedArray.of(10, 20, 30, 255, 40, 50, 60, 255)
  const mask = { width: 2, height: 1, data: Uint8ClampedArray.of(255, 100) }
  const masked = withMask(pixels, mask)
  expect([...masked]).toEqual([10, 20, 30, 0, 40, 50, 60, 155])
  expect(maskOf(masked, 2, 1)).toEqual(mask)
  expect([...inverted(mask).data]).toEqual([0, 155])
})

test('steps are undone and redone; a new one forgets those that were undone', () => {
  const history = createMaskHistory(emptyMask(2, 1))
  const now = () => [...history.mask().data]
  history.begin()
  paintLine(history.mask(), { x: 0.5, y: 0.5 }, { x: 0.5, y: 0.5 }, { ...HARD, size: 1 })
  history.replace(inverted(history.mask()))
  expect(now()).toEqual([0, 255])
  history.undo()
  expect(now()).toEqual([255, 0])
  history.undo()
  expect([now(), history.canUndo(), history.canRedo()]).toEqual([[0, 0], false, true])
  history.redo()
  history.redo()
  history.redo()
  expect(now()).toEqual([0, 255])
  history.undo()
  history.replace(emptyMask(2, 1))
  expect([now(), history.canRedo()]).toEqual([[0, 0], false])
  history.undo()
  expect(now()).toEqual([255, 0])
})
