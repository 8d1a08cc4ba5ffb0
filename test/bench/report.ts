import { writeFileSync } from 'node:fs'
import type { MeasuredOn } from '../support/measured-on.ts'

/** One line of the table. */
export type Row = {
  readonly what: string
  /** Our figure with its unit. */
  readonly figure: string
  /** Floor or peer with its unit; undefined where the target is absolute. */
  readonly against?: string
  readonly ratio?: number
  readonly target: string
  /** Part of the target that is used up: at most 1 holds. */
  readonly used?: number
  /** Undefined: nothing is promised, or it could not be measured. */
  readonly holds: boolean | undefined
  /** Several sides of one figure, ours first. */
  readonly sides?: { readonly unit: string; readonly of: readonly PeerFigure[] }
}

/** `keepsJobs`: whether a job is on the disk before its client hears of it. */
type PeerFigure = { readonly name: string; readonly keepsJobs: boolean; readonly value: number }

/** A number as a person reads it: three digits that count. */
export function short(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Compares with a floor or peer. @param most or @param least bound of ours / other */
export function compared(
  what: string,
  ours: number,
  other: number,
  {
    unit,
    against,
    most,
    least,
  }: { readonly unit: string; readonly against: string; readonly most?: number; readonly least?: number },
): Row {
  const ratio = ours / other
  const figure = `${short(ours)} ${unit}`
  const base = { what, figure, against: `${short(other)} ${unit} ${against}`, ratio }
  if (most !== undefined) return { ...base, target: `<= ${most} of it`, used: ratio / most, holds: ratio <= most }
  if (least !== undefined) return { ...base, target: `>= ${least} of it`, used: least / ratio, holds: ratio >= least }
  return { ...base, target: 'none, for comparison', holds: undefined }
}

/** Compares with a fixed bound. */
export function bounded(what: string, value: number, most: number, unit: string): Row {
  return {
    what,
    figure: `${short(value)} ${unit}`,
    target: `<= ${most} ${unit}`,
    used: value / most,
    holds: value <= most,
  }
}

/** A row that this machine cannot measure. @param why and how to change that */
export const notMeasured = (what: string, why: string): Row => ({
  ...{ what, figure: 'not measured', against: why, target: '', holds: undefined },
})

const verdict = ({ holds }: Row) => (holds === undefined ? '-' : holds ? 'hold' : 'SHORT')

/** The table as text. */
export function tableText(rows: readonly Row[]): string {
  const head = ['what', 'figure', 'floor or peer', 'ratio', 'target', '']
  const cells = rows.map((row) => [
    row.what,
    row.figure,
    row.against ?? '',
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    row.target,
    verdict(row),
  ])
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

export type Measured = {
  readonly at: string
  readonly rounds: number
  /** How long it took. */
  readonly minutes: number
  /** The requested rows; undefined: all. */
  readonly only?: readonly string[] | undefined
  readonly machine: MeasuredOn
  readonly rows: readonly Row[]
}

/** Writes what was measured, with what the machine is, for whoever compares later. */
export function writeMeasured(path: string, run: Omit<Measured, 'at'>): void {
  const rows = run.rows.map((row) => ({ ...row, verdict: verdict(row) }))
  const measured = { at: new Date().toISOString(), ...run, rows } satisfies Measured
  writeFileSync(path, `${JSON.stringify(measured, null, 2)}\n`)
}
