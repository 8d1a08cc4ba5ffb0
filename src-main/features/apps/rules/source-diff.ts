import { structuredPatch } from 'diff'
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

// Beyond it texts are shown as fully replaced, because the search grows with its square.
const MOST_EDITS = 400

/**
 * Returns hunks headed like `@@ -3,7 +3,8 @@`.
 * @param most lines; the last one then says that there are more
 */
export function textDiff(before: string, after: string, most: number): readonly string[] {
  const [from, to] = [withLineEnds(before), withLineEnds(after)]
  const patch = structuredPatch('', '', from, to, '', '', { context: 3, maxEditLength: MOST_EDITS })
  const lines = patch === undefined ? replaced(from, to) : patch.hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines])
  return lines.length > most ? [...lines.slice(0, most), '… further changes are not shown'] : lines
}

// Ignores line-ending style and a missing final newline.
function withLineEnds(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
}

type Hunk = Readonly<Record<'oldStart' | 'oldLines' | 'newStart' | 'newLines', number>>

const headOf = ({ oldStart, oldLines, newStart, newLines }: Hunk) =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`

function replaced(before: string, after: string): readonly string[] {
  const [removed, added] = [before.split('\n').slice(0, -1), after.split('\n').slice(0, -1)]
  const head = headOf({ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length })
  return [head, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
}
