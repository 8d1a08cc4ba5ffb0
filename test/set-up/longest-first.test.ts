import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LONGEST } from '../support/longest-first.ts'

test('the test files that begin first are there', () => {
  expect(LONGEST.filter((file) => !existsSync(join(import.meta.dirname, '../..', file)))).toEqual([])
})
