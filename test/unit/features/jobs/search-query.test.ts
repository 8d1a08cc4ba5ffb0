import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { endpointTerm, isFound, searchExpression } from '../../../../src-main/features/jobs/rules/search-query.ts'
import { unescaped } from '../../../../src-main/features/jobs/rules/search-words.ts'
import { cpuOf } from '../../../support/main-thread.ts'

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

describe('isFound', () => {
  it.each(['na\u00efve', '\ud55c\uad6d\uc5b4', '\ud834\udd5e', '\ud87e\udc00'])(
    'finds %j, however its letters are composed and wherever it is',
    (word) => {
      for (const form of [word, word.normalize('NFD')])
        for (let before = 240; before < 270; before++) {
          const text = `${'x'.repeat(before)}.${form}.`
          expect({ before, isIn: isFound(`.${word.normalize()}.`, '', [null, text]) }).toEqual({ before, isIn: true })
        }
    },
  )

  it('checks a text of many combining marks without sorting them all', () => {
    const marks = `a${'\u0316\u0301'.repeat(10_000)}`
    const ordering = cpuOf(() => marks.normalize())
    expect(cpuOf(() => isFound('a-b', '', [null, marks]))).toBeLessThan(ordering / 2)
  })
})

test.each([
  [String.raw`a\nb\u0041\\nc\"d\/\u00`, String.raw`a bA\nc"d/u00`],
  ['\\', '\\'],
  ['plain', 'plain'],
])('%j without its escapes is %j', (json, text) => {
  expect(unescaped(json)).toBe(text)
})
