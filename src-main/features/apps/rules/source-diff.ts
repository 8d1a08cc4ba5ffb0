import type { SourceFile } from '../../../contract/app.ts'
import { comparePaths } from './manifest.ts'

type Hashes = Readonly<Record<string, string>>

export function changedFiles(before: Hashes, after: Hashes): readonly Omit<SourceFile, 'diff' | 'noDiff'>[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(comparePaths)
  return paths.flatMap((path) => {
    const [from, to] = [before[path], after[path]]
    if (from === to) return []
    return [{ path, change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed' } as const]
  })
}

type DiffLine = string

// Context lines around a change, as in usual diffs.
const CONTEXT = 3
// Beyond it texts are shown as fully replaced, because the search grows with its square.
const MOST_EDITS = 200

/**
 * Returns hunks headed like `@@ -3,7 +3,8 @@`.
 * @param most lines; the last one then says that there are more
 */
export function textDiff(before: string, after: string, most: number): readonly DiffLine[] {
  const lines = diffLines(linesOf(before), linesOf(after))
  const shown: DiffLine[] = []
  let [from, to, skipped] = [1, 1, true]
  for (const [at, line] of lines.entries()) {
    if (lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).every(isSame)) skipped = true
    else {
      if (shown.length >= most) return [...shown.slice(0, most), '… further changes are not shown']
      if (skipped) shown.push(hunkHead(lines, at, from, to))
      skipped = false
      shown.push(line)
    }
    if (!line.startsWith('+')) from += 1
    if (!line.startsWith('-')) to += 1
  }
  return shown
}

const isSame = (line: DiffLine) => line.startsWith(' ')

function hunkHead(lines: readonly DiffLine[], at: number, from: number, to: number): string {
  let end = at
  while (end < lines.length && !lines.slice(Math.max(0, end - CONTEXT), end + CONTEXT + 1).every(isSame)) end += 1
  const hunk = lines.slice(at, end)
  const count = (mark: string) => hunk.filter((line) => !line.startsWith(mark)).length
  return `@@ -${from},${count('+')} +${to},${count('-')} @@`
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return [
    ...before.slice(0, start).map((line) => ` ${line}`),
    ...edits(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((line) => ` ${line}`),
  ]
}

/** Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). */
function edits(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  // By diagonal: the furthest position in `before` for each number of edits.
  const reached: ReadonlyMap<number, number>[] = []
  let current = new Map([[1, 0]])
  for (let edit = 0; edit <= Math.min(MOST_EDITS, before.length + after.length); edit++) {
    reached.push(new Map(current))
    const next = new Map(current)
    for (let diagonal = -edit; diagonal <= edit; diagonal += 2) {
      let at = stepDown(current, diagonal, edit) ? get(current, diagonal + 1) : get(current, diagonal - 1) + 1
      while (at < before.length && at - diagonal < after.length && before[at] === after[at - diagonal]) at += 1
      next.set(diagonal, at)
      if (at >= before.length && at - diagonal >= after.length) return walkBack(reached, before, after)
    }
    current = next
  }
  return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
}

const get = (reached: ReadonlyMap<number, number>, diagonal: number) => reached.get(diagonal) ?? 0

function stepDown(reached: ReadonlyMap<number, number>, diagonal: number, edit: number): boolean {
  return diagonal === -edit || (diagonal !== edit && get(reached, diagonal - 1) < get(reached, diagonal + 1))
}

function walkBack(
  reached: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [from, to] = [before.length, after.length]
  for (const [edit, known] of [...reached.entries()].toReversed()) {
    const diagonal = from - to
    const isDown = stepDown(known, diagonal, edit)
    const fromBefore = get(known, isDown ? diagonal + 1 : diagonal - 1)
    const toBefore = fromBefore - (isDown ? diagonal + 1 : diagonal - 1)
    while (from > fromBefore && to > toBefore) {
      lines.push(` ${before[--from]}`)
      to -= 1
    }
    if (edit === 0) break
    lines.push(isDown ? `+${after[--to]}` : `-${before[--from]}`)
  }
  return lines.toReversed()
}
