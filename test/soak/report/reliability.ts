/**
 * RELIABILITY.md as text, from the file of results of a soak. It says what was run and nothing more: a row that was run
 * less often than a full soak does, in part or not at all, says so.
 */
import { type MeasuredOn, measuredOnText } from '../../support/measured-on.ts'
import type { FiguresLine } from '../support/record-safety.ts'
import type { OutcomeLine } from './note-outcomes.ts'
import { PROOFS, rowOf, type SafetyRow, type SoakTest } from './safety-rows.ts'

/** First line of each run of the command. */
export type RunLine = {
  readonly kind: 'run'
  readonly at: string
  readonly on: MeasuredOn
  /** Files and names that were asked for; empty: all. */
  readonly chosen: readonly string[]
}

/** A line of the file of results. */
export type ResultLine = RunLine | FiguresLine | OutcomeLine

/** Reads a file of results: JSON lines. */
export function readResults(text: string): readonly ResultLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine)
}

/** A test with its results, or a file of tests of `npm run test:all`. */
type Part = {
  readonly what: string
  readonly state: OutcomeLine['state']
  readonly why?: string | undefined
  readonly figures?: FiguresLine | undefined
}

type Verdict = 'held' | 'held, in fewer runs' | 'held, in part not run' | 'FAILED' | 'not run'
type ReportedRow = SafetyRow & { readonly parts: readonly Part[]; readonly verdict: Verdict }

export type Reliability = {
  /** Those of the targets, in order. */
  readonly rows: readonly SafetyRow[]
  /** All tests of rows that the soak has, run or not. */
  readonly tests: readonly SoakTest[]
  readonly results: readonly ResultLine[]
}

/** The document. */
export function reliabilityText({ rows, tests, results }: Reliability): string {
  const outcomes = lastOfEach(results.filter((line) => line.kind === 'outcome'))
  const figures = new Map(
    results.filter((line) => line.kind === 'figures').map((line) => [`${line.file} ${line.test}`, line]),
  )
  const reported = rows.map((row) => reportRow(row, { tests, outcomes, figures }))
  const others = outcomes.filter(({ file, test }) => file.startsWith('test/soak/') && !isOfARow(rows, file, test))
  return [
    '# Reliability',
    '',
    'How Drydock is tested against failures before a release: each failure, how often it was caused, and the result. Written by',
    '`npm run test:soak -- --report`; do not edit it. For speed, see PERFORMANCE.md, written by `npm run bench -- --report`.',
    '',
    ...runsText(results),
    '',
    summary(reported),
    '',
    '| row | fault or bad input | what must hold | what was run | result |',
    '|---|---|---|---|---|',
    ...reported.map(tableLine),
    '',
    'Row numbers are those of [docs/spec/targets.md](docs/spec/targets.md#2-safety), section 2.',
    '',
    ...shortText(reported, others),
    ...othersText(others, figures),
    ...notCoveredText(results),
    '',
  ].join('\n')
}

// A test that was run again replaces what it gave before; one that was not chosen replaces nothing.
function lastOfEach(outcomes: readonly OutcomeLine[]): readonly OutcomeLine[] {
  const last = new Map<string, OutcomeLine>()
  for (const line of outcomes) {
    const name = `${line.file} ${line.test}`
    if (line.state !== 'skipped' || line.why !== undefined || !last.has(name)) last.set(name, line)
  }
  return [...last.values()]
}

const isOfARow = (rows: readonly SafetyRow[], file: string, test: string) =>
  rows.some(({ row }) => row === rowOf(file, test))

function reportRow(
  row: SafetyRow,
  {
    tests,
    outcomes,
    figures,
  }: {
    readonly tests: readonly SoakTest[]
    readonly outcomes: readonly OutcomeLine[]
    readonly figures: ReadonlyMap<string, FiguresLine>
  },
): ReportedRow {
  const mine = outcomes.filter(({ file, test }) => rowOf(file, test) === row.row)
  const [soak, proofs] = [mine.filter(isSoak), mine.filter((line) => !isSoak(line))]
  const soaked = soak.map((line): Part => {
    const what = line.test.replace(/^.*?\d+: /, '')
    return { what, state: line.state, why: line.why, figures: figures.get(`${line.file} ${line.test}`) }
  })
  const files = [...Map.groupBy(proofs, ({ file }) => file)].map(([file, lines]) => fileAsPart(file, lines))
  const missed = tests.filter(({ row: of, file, title }) => of === row.row && !soak.some(isOf(file, title)))
  const notRun = missed.map(({ title }): Part => ({ what: title, state: 'skipped' }))
  const parts = [...soaked, ...notRun, ...files, ...proofsNotRun(row.row, proofs)]
  return { ...row, parts, verdict: verdictOf(parts) }
}

const isOf = (file: string, title: string) => (line: OutcomeLine) =>
  line.file === file && line.test.endsWith(`: ${title}`)

const proofsNotRun = (row: number, ran: readonly OutcomeLine[]): readonly Part[] =>
  (PROOFS[row] ?? [])
    .filter(({ file }) => !ran.some((line) => line.file === file))
    .map(({ file }) => ({ what: `tests of \`npm run test:all\` in \`${file}\``, state: 'skipped' }))

const isSoak = ({ file }: OutcomeLine) => file.startsWith('test/soak/')

function fileAsPart(file: string, lines: readonly OutcomeLine[]): Part {
  const worst = (['failed', 'skipped'] as const).find((state) => lines.some((line) => line.state === state))
  const found = lines.find(({ state }) => state === worst)
  const what = `${lines.length} tests of \`npm run test:all\` in \`${file}\``
  return { what, state: worst ?? 'passed', why: found?.why }
}

function verdictOf(parts: readonly Part[]): Verdict {
  if (parts.some(({ state }) => state === 'failed')) return 'FAILED'
  const passed = parts.filter(({ state }) => state === 'passed')
  if (passed.length === 0) return 'not run'
  if (passed.length < parts.length) return 'held, in part not run'
  return parts.some(({ figures }) => figures !== undefined && figures.runs < figures.of)
    ? 'held, in fewer runs'
    : 'held'
}

function runsText(results: readonly ResultLine[]): readonly string[] {
  const runs = results.filter((line) => line.kind === 'run')
  const days = [...new Set(results.map(({ at }) => at.slice(0, 10)))]
  const when = days.length <= 1 ? days.join() : `${days[0]} to ${days.at(-1)}`
  const inPieces = runs.every(({ chosen }) => chosen.length > 0)
  const asked = [...new Set(runs.map(({ chosen }) => `\`${chosen.join(' ')}\``))]
  const pieces = inPieces ? ['', `Run in pieces: ${asked.join(', ')}.`] : []
  const machines = Map.groupBy(runs, ({ on }) => measuredOnText({ ...on, commit: undefined, load: undefined }))
  return [...[...machines.values()].map((of) => `Run on ${when} with ${ofOneMachine(of)}`), ...pieces]
}

// In pieces: of which commits, and what else the machine had to do before the quietest and the busiest.
function ofOneMachine(runs: readonly RunLine[]): string {
  const [first] = runs
  if (first === undefined) return ''
  if (runs.length === 1) return measuredOnText(first.on)
  const commits = [...new Set(runs.flatMap(({ on }) => on.commit ?? []))].join(', ')
  const loads = runs.flatMap(({ on }) => on.load ?? [])
  const load = loads.length === 0 ? '' : ` Load before the starts: ${Math.min(...loads)} to ${Math.max(...loads)}.`
  return `${measuredOnText({ ...first.on, commit: commits === '' ? undefined : commits, load: undefined })}${load}`
}

const counted = (rows: readonly ReportedRow[], verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length

function summary(rows: readonly ReportedRow[]): string {
  const full = counted(rows, 'held')
  if (full === rows.length) return `**All ${rows.length} rows held in full, each with all its runs.**`
  const rest = (['FAILED', 'held, in part not run', 'held, in fewer runs', 'not run'] as const)
    .map((verdict) => [counted(rows, verdict), verdict] as const)
    .filter(([count]) => count > 0)
    .map(([count, verdict]) => `${count} ${verdict}`)
  return `**This is not a full pass.** Of ${rows.length} rows ${full} held in full; ${rest.join('; ')}.`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function tableLine({ row, fault, holds, parts, verdict }: ReportedRow): string {
  const ran = parts.length === 0 ? 'nothing' : parts.map(partText).join('<br>')
  const result = verdict === 'FAILED' ? '**FAILED**' : verdict
  return `| ${row} | ${fault} | ${holds} | ${cell(ran)} | ${result} |`
}

function partText({ what, state, why, figures }: Part): string {
  if (state === 'skipped') return `${what}: not run${why === undefined ? '' : `, ${why}`}`
  if (state === 'failed') return `${what}: failed`
  if (figures === undefined) return what
  const { runs, of, worst, unit = '', limit } = figures
  const times = `${number(runs)}${runs < of ? ` of ${number(of)}` : ''} runs`
  const bound = limit === undefined ? '' : `, limit ${number(limit)} ${unit}`
  return `${what}: ${times}${worst === undefined ? '' : `, at worst ${number(worst)} ${unit}${bound}`}`
}

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })

function shortText(rows: readonly ReportedRow[], others: readonly OutcomeLine[]): readonly string[] {
  const short = rows
    .filter(({ verdict }) => verdict !== 'held')
    .map(({ row, fault, parts, verdict }) => `- Row ${row}, ${fault}: ${verdict}${reasons(parts)}.`)
  const beside = others
    .filter(({ state }) => state === 'failed')
    .map(
      ({ test, file, why }) =>
        `- \`${file}\`, ${test === '' ? 'the file' : test}: FAILED${why === undefined ? '' : `, ${why}`}.`,
    )
  const lines = [...short, ...beside]
  return lines.length === 0 ? [] : ['## Rows that fell short', '', ...lines, '']
}

function reasons(parts: readonly Part[]): string {
  const whys = parts.flatMap(({ what, state, why }) => (state === 'passed' ? [] : [`${what} (${why ?? 'not chosen'})`]))
  return whys.length === 0 ? '' : `: ${whys.join('; ').replace(/\.$/, '')}`
}

function othersText(others: readonly OutcomeLine[], figures: ReadonlyMap<string, FiguresLine>): readonly string[] {
  if (others.length === 0) return []
  const files = [...Map.groupBy(others, ({ file }) => file)].map(([file, lines]) => {
    const passed = lines.filter(({ state }) => state === 'passed').length
    const skipped = lines.find(({ state }) => state === 'skipped')
    const why = skipped?.why === undefined ? '' : `; not all were run: ${skipped.why}`
    const measured = lines.flatMap(({ test, state }) => {
      const of = figures.get(`${file} ${test}`)
      return of === undefined ? [] : [`  - ${partText({ what: test.replaceAll(' > ', ': '), state, figures: of })}`]
    })
    return [`- \`${file}\`: ${passed} of ${lines.length} passed${why}`, ...measured]
  })
  return ['## Outside the table', '', 'Soak tests that belong to no row.', '', ...files.flat(), '']
}

/** Limits of the tests, whatever their results. */
const NOT_COVERED = [
  'Real power cuts: power is cut in a model of the disk, built from recorded writes and syncs. No machine was switched off, and a program cannot detect a disk that reports a sync before it is done.',
  'Several faults at once: a killed service on a full disk, for example, is not among the rows.',
  'Network disks: the service recognises them and warns, but nothing here was run on one.',
  'Bit flips on the disk or in memory, except damaged pages of the database at start-up.',
  'Faults of GPUs and their drivers.',
  'More than half an hour of continuous load, and many services on one machine.',
]

function notCoveredText(results: readonly ResultLine[]): readonly string[] {
  const runs = results.filter((line) => line.kind === 'run')
  const platforms = [...new Set(runs.map(({ on }) => on.platform))].join(' and ')
  const systems = platforms === '' ? [] : [`Systems other than ${platforms}: nothing here was run on them.`]
  return ['## Not covered', '', ...[...systems, ...NOT_COVERED].map((line) => `- ${line}`)]
}
