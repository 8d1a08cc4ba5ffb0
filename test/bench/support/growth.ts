/** The cost of a request when there is a hundred times as much of something. */
import { join } from 'node:path'
import { compared, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from './folders.ts'
import { type Service, startService } from './service.ts'

/** Source: docs/spec/targets.md, 1: at 100 times the work at most 1.3 times the latency of a request. */
export const MOST_GROWTH = 1.3

/** One service of a comparison, and how much of the thing it has. */
export type Sized<T> = { readonly size: number; readonly side: T }

/**
 * Measures each size in turn, A B C A B C, so that a noisy minute of the machine falls on all of them. One round first
 * is thrown away.
 * @param measure gives samples
 * @returns for each size the median of the rounds' medians
 */
export async function p50InTurn<T>(
  rounds: number,
  sides: readonly Sized<T>[],
  measure: (side: T, size: number) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const medians: number[][] = sides.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [at, { side, size }] of sides.entries()) {
      const samples = await measure(side, size)
      if (round >= 0) medians[at]?.push(median(samples))
    }
  }
  return medians.map(median)
}

/** Compares each size with the smallest. @param what is given the size as a person reads it */
export function growthRows(
  what: (size: string) => string,
  sides: readonly Pick<Sized<unknown>, 'size'>[],
  figures: readonly number[],
  unit: string,
): readonly Row[] {
  const text = (at: number) => (sides[at]?.size ?? 0).toLocaleString('en-US')
  const [first = Number.NaN, ...others] = figures
  return others.map((figure, index) => {
    const against = `with ${text(0)}`
    return compared(what(text(index + 1)), figure, first, { unit, against, most: MOST_GROWTH })
  })
}

/** Runs `use` with what was opened for each size, and closes all of it. */
export async function withSizes<T>(
  sizes: readonly number[],
  open: (size: number) => Promise<T & { readonly close: () => Promise<unknown> }>,
  use: (sides: readonly Sized<T>[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const sides: Sized<T & { readonly close: () => Promise<unknown> }>[] = []
  try {
    for (const size of sizes) sides.push({ size, side: await open(size) })
    return await use(sides)
  } finally {
    for (const { side } of sides) await side.close()
  }
}

const FILLED = [10_000, 1_000_000]
const LARGE_FILLED = [100_000, 10_000_000]

/** A data folder that was filled, and the service on it. */
export type Filled = { readonly folder: string; readonly service: Service }

/** Adds the rows of one measurement. @param what names it, like "run, p50" */
export type AddRows = (what: string, figures: readonly number[], unit?: string) => void

/**
 * Measures services on folders with ten thousand of something, and a hundred times as many.
 * @param things names them in the rows @param large begins with a hundred thousand
 */
export function growthOfFolders(
  { things, large }: { readonly things: string; readonly large: boolean },
  fill: (folder: string, size: number) => Promise<unknown>,
  measure: (sides: readonly Sized<Filled>[], add: AddRows) => Promise<void>,
): Promise<readonly Row[]> {
  async function open(folder: string, size: number): Promise<Filled & { readonly close: () => Promise<void> }> {
    await fill(folder, size)
    const service = await startService(folder)
    return { folder, service, close: service.stop }
  }
  return withFolder((folder) =>
    withSizes(
      large ? LARGE_FILLED : FILLED,
      (size) => open(join(folder, String(size)), size),
      async (sides) => {
        const rows: Row[] = []
        await measure(sides, (what, figures, unit = 'ms') =>
          rows.push(...growthRows((size) => `${what}, ${size} ${things}`, sides, figures, unit)),
        )
        return rows
      },
    ),
  )
}
