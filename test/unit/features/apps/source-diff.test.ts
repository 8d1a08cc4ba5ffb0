import { describe, expect, it } from 'vitest'
import { changedFiles, textDiff } from '../../../../src-main/features/apps/rules/source-diff.ts'

it('files that came, went or have another hash are changed', () => {
  expect(changedFiles({ 'a.py': '1', 'b.py': '1', 'c.py': '1' }, { 'b.py': '2', 'c.py': '1', 'z/d.py': '1' })).toEqual([
    { path: 'a.py', change: 'removed' },
    { path: 'b.py', change: 'changed' },
    { path: 'z/d.py', change: 'added' },
  ])
})

const text = (...lines: readonly (string | number)[]) => lines.map((line) => `${line}\n`).join('')

describe('the difference of two texts', () => {
  it('shows changes with three lines around them, hunk by hunk', () => {
    const before = Array.from({ length: 30 }, (_, n) => n + 1)
    const after = before.flatMap((n): readonly (string | number)[] =>
      n === 5 ? [] : n === 25 ? ['twenty-five', 'and a half'] : [n],
    )
    expect(textDiff(text(...before), text(...after), 100)).toEqual([
      '@@ -2,7 +2,6 @@',
      ...[' 2', ' 3', ' 4', '-5', ' 6', ' 7', ' 8'],
      '@@ -22,7 +21,8 @@',
      ...[' 22', ' 23', ' 24', '-25', '+twenty-five', '+and a half', ' 26', ' 27', ' 28'],
    ])
  })

  it('of a new text is all of it, of equal ones nothing', () => {
    expect(textDiff('', text('a', 'b'), 100)).toEqual(['@@ -1,0 +1,2 @@', '+a', '+b'])
    expect(textDiff(text('a'), text('a'), 100)).toEqual([])
  })

  it('gives the new text when it is applied to the old one, whatever they are', () => {
    let seed = 7
    const next = (most: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % most
    }
    for (let round = 0; round < 200; round++) {
      const before = Array.from({ length: next(30) }, () => next(4))
      const after = before.flatMap((line) => (next(4) === 0 ? [] : next(5) === 0 ? [line, next(4)] : [line]))
      expect(apply(before.map(String), textDiff(text(...before), text(...after), 1000))).toEqual(after.map(String))
    }
  })

  it('ends at the limit, and of texts far apart shows all lines', () => {
    const before = Array.from({ length: 500 }, (_, n) => `a${n}`)
    const after = Array.from({ length: 500 }, (_, n) => `b${n}`)
    expect(textDiff(text(...before), text(...after), 5000)).toHaveLength(1001)
    const cut = textDiff(text(...before), text(...after), 10)
    expect(cut).toHaveLength(11)
    expect(cut.at(-1)).toBe('… further changes are not shown')
  })
})

function apply(before: readonly string[], diff: readonly string[]): readonly string[] {
  const result: string[] = []
  let at = 0
  for (const line of diff) {
    const from = /^@@ -(\d+),/.exec(line)?.[1]
    if (from !== undefined) while (at < Number(from) - 1) result.push(before[at++] ?? '')
    else {
      if (!line.startsWith('+')) expect(before[at++]).toBe(line.slice(1))
      if (!line.startsWith('-')) result.push(line.slice(1))
    }
  }
  return [...result, ...before.slice(at)]
}
