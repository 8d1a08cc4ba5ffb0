import { readdirSync, readFileSync } from 'node:fs'

/**
 * Memory of a process and of all that it started, in MiB; what several share counts once. On Linux alone.
 * @param pid the first of them
 */
export function treeMemoryMb(pid: number): number {
  const parents = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .map((each) => [each, Number(/^PPid:\s+(\d+)/m.exec(readIfThere(`/proc/${each}/status`))?.[1])]),
  )
  const tree = new Set([pid])
  for (let size = 0; size < tree.size; ) {
    size = tree.size
    for (const [each, parent] of parents) if (tree.has(parent)) tree.add(each)
  }
  const shares = [...tree].map((each) => /^Pss:\s+(\d+)/m.exec(readIfThere(`/proc/${each}/smaps_rollup`))?.[1] ?? 0)
  return shares.reduce<number>((sum, kib) => sum + Number(kib), 0) / 1024
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // gone meanwhile
  }
}
