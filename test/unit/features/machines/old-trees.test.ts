import { describe, expect, test } from 'vitest'
import { oldTrees } from '../../../../src-main/features/machines/rules/old-trees.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src-main/lib/units.ts'

const NOW = 100 * DAY_MS
const tree = (name: string, ageMs: number, owner = 'an endpoint') => ({ tree: name, owner, usedAt: NOW - ageMs })
const none = new Set<string>()

describe('a tree that another machine keeps', () => {
  test('is old when a newer one of its owner is there, after ten minutes', () => {
    const newest = tree('newest', 0)
    expect(oldTrees([newest, tree('other', 10 * MINUTE_MS)], none, NOW)).toEqual([])
    expect(oldTrees([newest, tree('other', 10 * MINUTE_MS + 1)], none, NOW)).toEqual(['other'])
    expect(oldTrees([tree('a', DAY_MS, 'one'), tree('b', 0, 'another')], none, NOW)).toEqual([])
  })

  test('is old a week after it was last sent', () => {
    expect(oldTrees([tree('only', 7 * DAY_MS)], none, NOW)).toEqual([])
    expect(oldTrees([tree('only', 7 * DAY_MS + 1)], none, NOW)).toEqual(['only'])
  })

  test('is never old while a worker has it', () => {
    const trees = [tree('newest', 8 * DAY_MS), tree('other', 9 * DAY_MS)]
    expect(oldTrees(trees, new Set(['newest', 'other']), NOW)).toEqual([])
  })
})
