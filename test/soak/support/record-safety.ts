/**
 * How a test of the soak notes what it saw, for RELIABILITY.md: one line of JSON in the file that SAFETY_RESULTS names,
 * and one line on the terminal. Called when all expectations have held; a test that fails is noted by the reporter
 * (../report/note-outcomes), which knows its row by its name: `5: power is cut`.
 */
import { appendFileSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'vitest'

export type SafetyFigures = {
  /** Row of docs/spec/targets.md, 2: 5 stands for 2.5. 0 belongs to none. */
  readonly row: number
  /** How often the fault was made. */
  readonly runs: number
  /** How often it is made in a full soak. */
  readonly of: number
  /** The worst that was seen, and its unit. */
  readonly worst?: number
  readonly unit?: string
  /** The highest allowed figure. */
  readonly limit?: number
  /** Further figures, for the terminal alone. */
  readonly more?: object
}

/** A line of the file of results. */
export type FiguresLine = Omit<SafetyFigures, 'more'> & {
  readonly kind: 'figures'
  readonly at: string
  /** File and full name of the test. */
  readonly file: string
  readonly test: string
}

/** Notes the figures of the test that is running. */
export function recordSafety({ more, ...figures }: SafetyFigures): void {
  writeSync(1, `safety ${figures.row}: ${JSON.stringify({ ...figures, ...more })}\n`)
  const file = process.env.SAFETY_RESULTS
  if (file === undefined) return
  const { currentTestName = '', testPath = '' } = expect.getState()
  const at = new Date().toISOString()
  const line: FiguresLine = { kind: 'figures', at, file: fromRoot(testPath), test: currentTestName, ...figures }
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}

const ROOT = join(import.meta.dirname, '..', '..', '..')
const fromRoot = (path: string) => relative(ROOT, path).replaceAll('\\', '/')

/**
 * How often a fault is made in this run: as often as in a full soak, or, with SOAK_SHARE, a part of that and once at
 * least. @param of runs of a full soak
 */
export function soakRuns(of: number): number {
  return Math.max(1, Math.round(of * Number(process.env.SOAK_SHARE ?? 1)))
}

/** Which fault is made, and how often in a full soak. */
type Fault = {
  readonly row: number
  readonly of: number
  /** Limit for its slowest run, in ms. Judged in the soak only, which runs on a machine that does nothing else. */
  readonly limitMs?: number
}

/** Makes a fault again and again, and notes the figures. */
export async function soakFault<T extends { readonly runs: number; readonly slowestMs?: number }>(
  { row, of, limitMs }: Fault,
  make: (runs: number) => Promise<T>,
): Promise<T> {
  const figures = await make(soakRuns(of))
  const { runs, slowestMs, ...more } = figures
  if (slowestMs !== undefined && limitMs !== undefined) expect(slowestMs).toBeLessThanOrEqual(limitMs)
  const worst = slowestMs === undefined ? {} : { worst: Math.round(slowestMs), unit: 'ms' }
  recordSafety({ row, runs, of, ...worst, ...(limitMs === undefined ? {} : { limit: limitMs }), more })
  return figures
}
