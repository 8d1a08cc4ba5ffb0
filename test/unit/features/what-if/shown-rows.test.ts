import { expect, test } from 'vitest'
import { fewJobsText, rowsToShow } from '../../../../src-main/features/what-if/rules/shown-rows.ts'

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

test('an answer of fewer than 20 jobs says that they are few, and is not drawn', () => {
  expect(fewJobsText(20)).toBeUndefined()
  expect(fewJobsText(3)).toMatch(/^Only 3 jobs in this time span, /)
  expect(fewJobsText(1)).toMatch(/^Only 1 job in this time span, /)
})
