/**
 * PERFORMANCE.md and its charts as text, from what a run of the bench has measured (last.json). It says what was
 * measured and nothing more: a run of some rows, or of fewer rounds, says so.
 */
import { measuredOnText } from '../support/measured-on.ts'
import { chartSvg } from './chart.ts'
import { FULL_ROUNDS } from './options.ts'
import { type Measured, type Row, short } from './report.ts'

/** The document and its pictures; a picture that has nothing to show is undefined. */
export type Performance = {
  readonly document: string
  readonly targets: string | undefined
  readonly peers: string | undefined
}

/** Where the pictures lie, from the root. */
export const PICTURES = {
  targets: 'resources/pictures/performance.svg',
  peers: 'resources/pictures/peers.svg',
} as const

// Bars beyond twice their target end there.
const MOST_OF_TARGET = 2

/** Writes it. */
export function performanceReport(measured: Measured): Performance {
  const { rows } = measured
  const peers = peersChart(rows)
  const targets = targetsChart(rows)
  const judged = rows.filter(({ holds }) => holds !== undefined)
  const document = [
    '# Performance',
    '',
    'How fast Drydock is, compared with floors and peers that ran in turn with it on the same machine. Machines differ, so the',
    'ratios matter most. Written by `npm run bench -- --report`; do not edit it. Method: [test/bench](test/bench/README.md).',
    '',
    ...runText(measured),
    '',
    summary(judged),
    '',
    ...(targets === undefined
      ? []
      : [
          `![How much of its target each row of the table uses](${PICTURES.targets})`,
          '',
          'Each bar shows how much of its target a row uses. A bar that ends before the line holds its target; shorter is better.',
          '',
        ]),
    '| what | figure | floor or peer | ratio | target | result |',
    '|---|---|---|---|---|---|',
    ...rows.filter(({ sides }) => sides === undefined).map(tableLine),
    '',
    ...listed('Rows that fell short', judged.filter(({ holds }) => !holds).map(shortLine)),
    ...listed('Not measured', rows.filter(isMissing).map(missingLine)),
    ...peersText(rows, peers !== undefined),
  ]
  return { document: `${document.join('\n').trimEnd()}\n`, targets, peers }
}

function runText({ at, rounds, minutes, machine, only }: Measured): readonly string[] {
  const fewer = rounds < FULL_ROUNDS ? `, where a full run has ${FULL_ROUNDS}` : ''
  const chosen =
    only === undefined ? [] : ['', `Only a part was measured: ${only.map((name) => `\`${name}\``).join(', ')}.`]
  const counts = `${rounds} ${rounds === 1 ? 'round' : 'rounds'} a comparison${fewer}; ${Math.ceil(minutes)} minutes in all.`
  return [`Measured on ${at.slice(0, 10)} with ${measuredOnText(machine)} ${counts}`, ...chosen]
}

function summary(judged: readonly Row[]): string {
  const hold = judged.filter(({ holds }) => holds).length
  if (judged.length === 0) return '**No row with a target was measured.**'
  if (hold === judged.length) return `**All ${hold} rows with a target hold.**`
  return `**Of ${judged.length} rows with a target ${hold} hold and ${judged.length - hold} fall short.**`
}

const cell = (text: string) => text.replaceAll('|', '\\|')

function tableLine({ what, figure, against = '', ratio, target, holds }: Row): string {
  const result = holds === undefined ? '-' : holds ? 'holds' : '**short**'
  return `| ${[what, figure, against, ratio?.toFixed(2) ?? '', target, result].map(cell).join(' | ')} |`
}

const listed = (heading: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`## ${heading}`, '', ...lines, '']

function shortLine({ what, figure, against, ratio, target }: Row): string {
  const beside = against === undefined ? '' : ` against ${against}`
  return `- ${what}: ${figure}${beside}${ratio === undefined ? '' : `, ratio ${ratio.toFixed(2)}`}; target ${target}.`
}

// A row without a verdict although there is something to hold.
const isMissing = ({ figure, target, holds }: Row) =>
  holds === undefined && (figure === 'not measured' || !/^(none\b|$)/.test(target))

const missingLine = ({ what, against }: Row) => `- ${what}${against === undefined ? '' : `: ${against}`}.`

function targetsChart(rows: readonly Row[]): string | undefined {
  const bars = rows.flatMap(({ what, figure, used, holds }) =>
    used === undefined || !Number.isFinite(used)
      ? []
      : [
          {
            label: what,
            value: used,
            text: `${Math.round(100 * used)} %, ${figure}${holds ? '' : ': short'}`,
            tone: holds ? ('ours' as const) : ('short' as const),
          },
        ],
  )
  if (bars.length === 0) return undefined
  const title = `Part of its target that each of ${bars.length} rows uses; the table below has the same figures`
  return chartSvg({ title, groups: [{ bars }], line: { value: 1, text: 'target' }, most: MOST_OF_TARGET })
}

type PeerRow = Row & Required<Pick<Row, 'sides'>>
const isPeerRow = (row: Row): row is PeerRow => row.sides !== undefined

function peersChart(rows: readonly Row[]): string | undefined {
  const groups = rows
    .filter(isPeerRow)
    .filter(({ sides }) => sides.unit === 'jobs/s')
    .map(({ what, sides: { unit, of } }) => ({
      heading: what,
      bars: of.map(({ name, value }, at) => ({
        label: name,
        value,
        text: `${short(value)} ${unit}`,
        tone: at === 0 ? ('ours' as const) : ('other' as const),
      })),
    }))
  if (groups.length === 0) return undefined
  return chartSvg({ title: 'Jobs a second of Drydock and others; the table below has the same figures', groups })
}

function peersText(rows: readonly Row[], hasChart: boolean): readonly string[] {
  const beside = rows.filter(isPeerRow)
  const peers = beside[0]?.sides.of ?? []
  if (peers.length === 0) return []
  const columns = ['keeps jobs', ...beside.map(({ what, sides: { unit } }) => `${what}, ${unit}`)]
  return [
    '## Compared with other servers and queues',
    '',
    'One worker and a handler that does nothing, called with the client of each. One that keeps jobs has them on the disk before',
    'its client hears of them. For the settings of each, see [test/bench](test/bench/README.md).',
    '',
    ...(hasChart ? [`![Jobs per second of each, by number of clients](${PICTURES.peers})`, ''] : []),
    `| | ${columns.map(cell).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...peers.map(({ name, keepsJobs }, at) => {
      const figures = beside.map(({ sides }) => short(sides.of[at]?.value ?? Number.NaN))
      return `| ${[cell(name), keepsJobs ? 'yes' : 'no', ...figures].join(' | ')} |`
    }),
    '',
  ]
}
