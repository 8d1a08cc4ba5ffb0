import { describe, expect, test } from 'vitest'
import { chartSvg } from '../../bench/chart.ts'
import { readOptions } from '../../bench/options.ts'
import { performanceReport } from '../../bench/performance.ts'
import { bounded, compared, type Measured, type Row } from '../../bench/report.ts'
import { MACHINE } from './machine.ts'

const AGAINST = { unit: 'ms', against: 'a bare server' }
const peers = (what: string, unit: string, [ours, other]: readonly [number, number]): Row => ({
  what,
  figure: `${ours} ${unit}`,
  against: `Ray Serve ${other}`,
  target: 'none, for comparison',
  holds: undefined,
  sides: {
    unit,
    of: [
      { name: 'Drydock', keepsJobs: true, value: ours },
      { name: 'Ray Serve', keepsJobs: false, value: other },
    ],
  },
})
const missing: Row = {
  what: 'first job of a cold container',
  figure: 'not measured',
  against: 'no engine',
  target: '',
  holds: undefined,
}
const measured = (rows: readonly Row[], more: Partial<Measured> = {}): Measured => ({
  at: '2026-11-23T08:00:00.000Z',
  rounds: 5,
  minutes: 21.5,
  machine: MACHINE,
  rows,
  ...more,
})

const ROWS = [
  compared('durable runsync, 1 client, p50', 1.2, 1, { ...AGAINST, most: 1.5 }),
  compared('accepted run', 900, 1000, { unit: 'jobs/s', against: 'bare', least: 0.9 }),
  bounded('save to live | in a preview', 1200, 1000, 'ms'),
  compared('through Python', 3, 1, AGAINST),
  missing,
  peers('submit to completed, 1 client, p50', 'ms', [1.5, 3]),
  peers('submit to completed, 1 client', 'jobs/s', [600, 300]),
]

test('a run of some rows in fewer rounds is this text', () => {
  const { document } = performanceReport(measured(ROWS, { rounds: 1, only: ['run', 'peers'] }))
  expect(document).toBe(`# Performance

How fast Drydock is, compared with floors and peers that ran in turn with it on the same machine. Machines differ, so the
ratios matter most. Written by \`npm run bench -- --report\`; do not edit it. Method: [test/bench](test/bench/README.md).

Measured on 2026-11-23 with Drydock 0.1.0 (commit abc1234) on Node 24.1.0. Machine: 2 cores of A processor, 8 GiB of memory, linux x64 6.1.0, temporary folder on ext4. Load before the start: 0.35. 1 round a comparison, where a full run has 5; 22 minutes in all.

Only a part was measured: \`run\`, \`peers\`.

**Of 3 rows with a target 2 hold and 1 fall short.**

![How much of its target each row of the table uses](resources/pictures/performance.svg)

Each bar shows how much of its target a row uses. A bar that ends before the line holds its target; shorter is better.

| what | figure | floor or peer | ratio | target | result |
|---|---|---|---|---|---|
| durable runsync, 1 client, p50 | 1.20 ms | 1.00 ms a bare server | 1.20 | <= 1.5 of it | holds |
| accepted run | 900 jobs/s | 1,000 jobs/s bare | 0.90 | >= 0.9 of it | holds |
| save to live \\| in a preview | 1,200 ms |  |  | <= 1000 ms | **short** |
| through Python | 3.00 ms | 1.00 ms a bare server | 3.00 | none, for comparison | - |
| first job of a cold container | not measured | no engine |  |  | - |

## Rows that fell short

- save to live | in a preview: 1,200 ms; target <= 1000 ms.

## Not measured

- first job of a cold container: no engine.

## Compared with other servers and queues

One worker and a handler that does nothing, called with the client of each. One that keeps jobs has them on the disk before
its client hears of them. For the settings of each, see [test/bench](test/bench/README.md).

![Jobs per second of each, by number of clients](resources/pictures/peers.svg)

| | keeps jobs | submit to completed, 1 client, p50, ms | submit to completed, 1 client, jobs/s |
|---|---|---|---|
| Drydock | yes | 1.50 | 600 |
| Ray Serve | no | 3.00 | 300 |
`)
})

describe('a report', () => {
  test('of a full run in which all holds says so, and has no chart of what was not measured', () => {
    const { document, targets, peers: peersChart } = performanceReport(measured(ROWS.slice(0, 2)))
    expect(document).toContain('**All 2 rows with a target hold.**')
    expect(document).toContain('0.35. 5 rounds a comparison; 22 minutes in all.\n')
    expect(document).not.toMatch(/fell short|Not measured|Only a part|peers\.svg/)
    expect([targets, peersChart]).toEqual([expect.stringContaining('<svg'), undefined])
    expect(performanceReport(measured([missing])).document).toContain('**No row with a target was measured.**')
  })

  test('draws the part of its target that each row uses', () => {
    const { targets = '', peers: peersChart = '' } = performanceReport(measured(ROWS))
    const bars = (svg: string) => [...svg.matchAll(/<rect class="(ours|other|short)".*? width="([\d.]+)"/g)]
    expect(bars(targets).map(([, tone, width]) => [tone, width])).toEqual([
      ['ours', '200.0'],
      ['ours', '250.0'],
      ['short', '300.0'],
    ])
    expect(targets).toContain('80 %, 1.20 ms<')
    expect(targets).toContain('120 %, 1,200 ms: short<')
    expect(bars(peersChart).map(([, tone, width]) => [tone, width])).toEqual([
      ['ours', '300.0'],
      ['other', '150.0'],
    ])
  })
})

test('a chart is this picture', () => {
  const bars = [
    { label: 'a < b', value: 1, text: '50 %', tone: 'ours' as const },
    { label: 'x'.repeat(70), value: 5, text: '"250 %"', tone: 'short' as const },
  ]
  const svg = chartSvg({ title: 'Two & more', groups: [{ bars }], line: { value: 1, text: 'target' }, most: 2 })
  expect(svg.replace(/ {2}<style>[\s\S]*<\/style>\n/, '')).toBe(`\
<svg xmlns="http://www.w3.org/2000/svg" width="960" height="120" viewBox="0 0 960 120" role="img" aria-label="Two &amp; more">
  <rect class="page" x="0.5" y="0.5" width="959" height="119" rx="10"/>
  <text x="412" y="64" text-anchor="end">a &lt; b</text>
  <rect class="ours" x="424" y="53" width="150.0" height="14" rx="2"/>
  <text x="582" y="64" class="s">50 %</text>
  <text x="412" y="88" text-anchor="end">${'x'.repeat(59)}…</text>
  <rect class="short" x="424" y="77" width="300.0" height="14" rx="2"/>
  <text x="732" y="88" class="s">→ &quot;250 %&quot;</text>
  <path class="line" d="M574.0 48V96"/>
  <text x="574" y="40" class="s" text-anchor="middle">target</text>
</svg>
`)
  expect(svg).toContain('@media (prefers-color-scheme: dark)')
})

describe('the command line of the bench', () => {
  test('says what to measure and whether to report', () => {
    const all = { only: undefined, rounds: 5, idleSeconds: 60, report: false, last: false, large: false }
    expect(readOptions([], ['run'])).toEqual(all)
    expect(readOptions(['--report', '--only', 'run', '--rounds', '1'], ['run'])).toEqual({
      ...all,
      only: ['run'],
      rounds: 1,
      report: true,
    })
    expect(readOptions(['--report', '--last'], ['run'])).toEqual({ ...all, report: true, last: true })
  })

  test('refuses what it does not know', () => {
    expect(() => readOptions(['--only', 'walk'], ['run'])).toThrow('unknown: walk; there are: run')
    expect(() => readOptions(['--last'], ['run'])).toThrow('--last needs --report')
  })
})
