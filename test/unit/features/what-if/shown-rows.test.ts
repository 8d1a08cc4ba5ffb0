import { expect, test } from 'vitest'
import { rowsToShow } from '../../../../src-main/features/what-if/rules/shown-rows.ts'

const rows = (count: number) =>
  Array.from({ length: count }, (_row, at) => ({ isPresent: at === 0, onFrontier: at % 20 === 3 }))

test('an answer of up to 16 settings is shown whole', () => {
  expect(rowsToShow(rows(16))).toHaveLength(16)
  expect(rowsToShow(rows(15))).toHaveLength(15)
})

test('of a longer answer the current setting and those that nothing beats are shown', () => {
  expect(rowsToShow(rows(17))).toEqual([0, 3])
  expect(rowsToShow(rows(96))).toEqual([0, 3, 23, 43, 63, 83])
})
