/**
 * How the source tree is cut into files. People look for what exists by the names of files: too many small ones hide
 * it. Source: CONTRIBUTING.md#style.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Import } from './import-rules.ts'

/** Figures of the files below src-main and src-renderer. */
export type Grain = {
  readonly files: number
  /** Lines of the file in the middle. */
  readonly median: number
  /** Files of few lines with a single user, in their own folder: they could stand in that user. */
  readonly lonely: number
}

/** What is kept to. */
export const GRAIN_LIMITS: Grain = { files: 1160, median: 75, lonely: 60 }

// A file of up to so many lines is small.
const SMALL_LINES = 60

/** Measures it. @param paths files, from the root; @param imports who imports whom among them */
export function grainOf(root: string, paths: readonly string[], imports: readonly Import[]): Grain {
  const linesOf = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8').split('\n').length - 1]))
  const sorted = [...linesOf.values()].toSorted((a, b) => a - b)
  const usersOf = Map.groupBy(imports, ({ to }) => to)
  const lonely = paths.filter((path) => {
    const users = new Set(usersOf.get(path)?.map(({ from }) => from))
    const [user] = users
    return (linesOf.get(path) ?? 0) <= SMALL_LINES && users.size === 1 && dirname(user ?? '') === dirname(path)
  })
  return { files: paths.length, median: sorted[Math.floor(sorted.length / 2)] ?? 0, lonely: lonely.length }
}
