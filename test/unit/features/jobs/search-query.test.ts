import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpointTerm, searchExpression } from '../../../../src-main/features/jobs/rules/search-query.ts'

function index() {
  const db = new BetterSqlite(':memory:')
  db.exec(`CREATE VIRTUAL TABLE found USING fts5 (endpoint, text, tokenize = "unicode61 remove_diacritics 2")`)
  const insert = db.prepare(`INSERT INTO found (rowid, endpoint, text) VALUES (?, ?, ?)`)
  const find = db.prepare<[string], { rowid: number }>(`SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid`)
  return {
    insert,
    find: (match: string | undefined) => (match === undefined ? [] : find.all(match).map((row) => row.rowid)),
  }
}

describe('searchExpression', () => {
  it('is never a syntax error, whatever is typed', () => {
    const { find } = index()
    const typed = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.string({
        unit: fc.constantFrom(
          '"',
          '*',
          '(',
          ')',
          ':',
          '^',
          '-',
          '+',
          ' ',
          'AND',
          'OR',
          'NOT',
          'NEAR',
          'a',
          '{',
          '}',
          "'",
          '\u0000',
        ),
      }),
    )
    fc.assert(
      fc.property(
        typed,
        fc.option(fc.string(), { nil: undefined }),
        (text, endpoint) => void find(searchExpression(text, endpoint)?.match),
      ),
      {
        numRuns: 500,
      },
    )
  })

  it('takes as many words as a query may hold', () => {
    const { find } = index()
    expect(find(searchExpression('a '.repeat(250), 'e')?.match)).toEqual([])
  })

  it('finds what holds every word, each from its beginning, on that endpoint only', () => {
    const { insert, find } = index()
    insert.run(1, endpointTerm('e'), 'a red lighthouse')
    insert.run(2, endpointTerm('e-2'), 'a red house')
    expect(find(searchExpression('RED light', undefined)?.match)).toEqual([1])
    expect(find(searchExpression('red', undefined)?.match)).toEqual([1, 2])
    expect(find(searchExpression('red', 'e')?.match)).toEqual([1])
    expect(find(searchExpression('red', 'e-2')?.match)).toEqual([2])
    expect(find(searchExpression('house NOT red', undefined)?.match)).toEqual([])
    expect(searchExpression(' ?! ', 'e')).toBe(undefined)
    expect(searchExpression('red house', 'e', (word) => (word === 'red' ? ['red', 'reduced'] : []))).toBe(undefined)
  })
})
