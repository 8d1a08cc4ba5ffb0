import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ResultLine, readResults, reliabilityText } from '../../soak/report/reliability.ts'
import { PROOFS, readSafetyRows, readSoakTests, rowOf, type SoakTest } from '../../soak/report/safety-rows.ts'
import { readSoakOptions } from '../../soak/report/soak-options.ts'
import { MACHINE } from './machine.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const TARGETS = [
  '| row | fault or bad input | what must hold |',
  '|---|---|---|',
  '| 2.1 | the service is killed, 200 times | no job is lost |',
  '| 2.2 | a worker is killed, 100 times | leased again |',
  '| 2.3 | a worker is frozen, 50 times | refused |',
  '| 2.5 | power fails | nothing is lost |',
  '| 2.7 | the wall clock jumps | no lease ends |',
  '| 2.9 | the port is taken | a clear error |',
  '| 2.18 | a foreign Host | refused |',
].join('\n')
const SAFETY = 'test/soak/safety.test.ts'
const at = '2026-11-23T08:00:00.000Z'

const run: ResultLine = { kind: 'run', at, on: MACHINE, chosen: [] }
const ended = (file: string, name: string, state: 'passed' | 'failed' | 'skipped' = 'passed', why?: string) =>
  ({ kind: 'outcome', at, file, test: name, state, ...(why === undefined ? {} : { why }) }) as const
const saw = (row: number, name: string, figures: object) =>
  ({ kind: 'figures', at, file: SAFETY, test: name, row, ...figures }) as ResultLine

const rows = readSafetyRows(TARGETS)
const text = (lines: readonly ResultLine[], tests: readonly SoakTest[] = []) =>
  reliabilityText({ rows, tests, results: readResults(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`) })

test('a run in which rows were cut, failed and left out is this text', () => {
  const lines = [
    run,
    saw(1, 'safety > 1: it is killed', { runs: 200, of: 200, worst: 4321, unit: 'ms', limit: 15_000 }),
    ended(SAFETY, 'safety > 1: it is killed'),
    ended(SAFETY, 'safety > 1: its launcher is killed', 'skipped', 'no Node older than 24 is on the PATH'),
    saw(2, 'safety > 2: a worker is killed', { runs: 5, of: 100, worst: 12.5, unit: 'ms' }),
    ended(SAFETY, 'safety > 2: a worker is killed'),
    ended(SAFETY, 'safety > 3: a worker is frozen', 'failed', 'expected 13000 to be at most 12000'),
    saw(9, 'safety > 9: a port is taken', { runs: 10, of: 10 }),
    ended(SAFETY, 'safety > 9: a port is taken'),
    ended(SAFETY, 'safety > a database with damaged pages'),
    saw(0, 'safety > a database with damaged pages', { runs: 20, of: 20, worst: 2253, unit: 'ms' }),
    ended('test/soak/comfyui.test.ts', 'before a real ComfyUI > answers', 'skipped', 'there is none'),
    ended('test/api/clock-jumps.test.ts', 'a wall clock that jumps > a day'),
    ended('test/api/clock-jumps.test.ts', 'a wall clock that jumps > back'),
  ]
  const tests = [
    { row: 9, file: SAFETY, title: 'a port is taken' },
    { row: 9, file: SAFETY, title: 'the next port' },
  ]
  expect(text(lines, tests)).toBe(`# Reliability

How Drydock is tested against failures before a release: each failure, how often it was caused, and the result. Written by
\`npm run test:soak -- --report\`; do not edit it. For speed, see PERFORMANCE.md, written by \`npm run bench -- --report\`.

Run on 2026-11-23 with Drydock 0.1.0 (commit abc1234) on Node 24.1.0. Machine: 2 cores of A processor, 8 GiB of memory, linux x64 6.1.0, temporary folder on ext4. Load before the start: 0.35.

**This is not a full pass.** Of 7 rows 1 held in full; 1 FAILED; 2 held, in part not run; 1 held, in fewer runs; 2 not run.

| row | fault or bad input | what must hold | what was run | result |
|---|---|---|---|---|
| 1 | the service is killed, 200 times | no job is lost | it is killed: 200 runs, at worst 4,321 ms, limit 15,000 ms<br>its launcher is killed: not run, no Node older than 24 is on the PATH | held, in part not run |
| 2 | a worker is killed, 100 times | leased again | a worker is killed: 5 of 100 runs, at worst 13 ms | held, in fewer runs |
| 3 | a worker is frozen, 50 times | refused | a worker is frozen: failed | **FAILED** |
| 5 | power fails | nothing is lost | nothing | not run |
| 7 | the wall clock jumps | no lease ends | 2 tests of \`npm run test:all\` in \`test/api/clock-jumps.test.ts\` | held |
| 9 | the port is taken | a clear error | a port is taken: 10 runs<br>the next port: not run | held, in part not run |
| 18 | a foreign Host | refused | tests of \`npm run test:all\` in \`test/api/foreign-requests.test.ts\`: not run | not run |

Row numbers are those of [docs/spec/targets.md](docs/spec/targets.md#2-safety), section 2.

## Rows that fell short

- Row 1, the service is killed, 200 times: held, in part not run: its launcher is killed (no Node older than 24 is on the PATH).
- Row 2, a worker is killed, 100 times: held, in fewer runs.
- Row 3, a worker is frozen, 50 times: FAILED: a worker is frozen (expected 13000 to be at most 12000).
- Row 5, power fails: not run.
- Row 9, the port is taken: held, in part not run: the next port (not chosen).
- Row 18, a foreign Host: not run: tests of \`npm run test:all\` in \`test/api/foreign-requests.test.ts\` (not chosen).

## Outside the table

Soak tests that belong to no row.

- \`${SAFETY}\`: 1 of 1 passed
  - safety: a database with damaged pages: 20 runs, at worst 2,253 ms
- \`test/soak/comfyui.test.ts\`: 0 of 1 passed; not all were run: there is none

## Not covered

- Systems other than linux x64: nothing here was run on them.
- Real power cuts: power is cut in a model of the disk, built from recorded writes and syncs. No machine was switched off, and a program cannot detect a disk that reports a sync before it is done.
- Several faults at once: a killed service on a full disk, for example, is not among the rows.
- Network disks: the service recognises them and warns, but nothing here was run on one.
- Bit flips on the disk or in memory, except damaged pages of the database at start-up.
- Faults of GPUs and their drivers.
- More than half an hour of continuous load, and many services on one machine.
`)
})

describe('a report', () => {
  const full = [
    ...([1, 2, 3, 5, 9] as const).flatMap((row) => [
      saw(row, `${row}: a fault`, { runs: 3, of: 3 }),
      ended(SAFETY, `${row}: a fault`),
    ]),
    ended('test/api/clock-jumps.test.ts', 'a day'),
    ended('test/api/foreign-requests.test.ts', 'a Host'),
  ]

  test('says that all held only where all were run in full', () => {
    expect(text([run, ...full])).toContain('**All 7 rows held in full, each with all its runs.**')
    expect(text([run, ...full])).not.toContain('## Rows that fell short')
    const fewer = saw(2, '2: a fault', { runs: 2, of: 3 })
    expect(text([run, ...full, fewer])).toContain('**This is not a full pass.** Of 7 rows 6 held')
  })

  test('takes the last of what was run twice, and names every version and machine', () => {
    const later = { ...run, on: { ...MACHINE, commit: 'def5678+', load: 2 } }
    const elsewhere = { ...run, on: { ...MACHINE, commit: 'fed8765', cores: 16 } }
    const again = [ended(SAFETY, '3: a fault', 'failed', 'broken'), later, elsewhere]
    const shown = text([run, ...full, ...again])
    expect(shown).toContain('| **FAILED** |')
    expect(shown).toMatch(/\(commit abc1234, def5678\+\).* 2 cores .* Load before the starts: 0\.35 to 2\.\n/)
    expect(shown).toMatch(/\(commit fed8765\).* 16 cores .* Load before the start: 0\.35\.\n/)
    expect(text([run, ...again, ...full])).not.toContain('FAILED')
  })

  test('keeps what a test gave when it was not chosen later, and says that it was run in pieces', () => {
    const pieces = ['safety.test.ts', '--proofs'].map((name): ResultLine => ({ ...run, chosen: [name] }))
    const shown = text([...pieces, ...full, ended(SAFETY, '3: a fault', 'skipped')])
    expect(shown).toContain('Run in pieces: `safety.test.ts`, `--proofs`.\n')
    expect(shown).toContain('**All 7 rows held')
  })

  test('takes a file that could not be loaded for a failure', () => {
    expect(text([run, ...full, ended(SAFETY, '', 'failed', 'no such module')])).toContain(
      `- \`${SAFETY}\`, the file: FAILED, no such module.`,
    )
  })
})

describe('the rows of the targets', () => {
  const real = readSafetyRows(readFileSync(join(ROOT, 'docs', 'spec', 'targets.md'), 'utf8'))

  test('are all read', () => {
    expect(real.map(({ row }) => row)).toEqual([...Array.from({ length: 24 }, (_, n) => n + 1), 26, 27, 28, 29])
    expect(real[8]).toEqual({
      row: 9,
      fault: 'the port is taken, 10 times',
      holds: 'a clear error, or the next port, and commands find it',
    })
  })

  test('are made by tests of the soak or proved by tests of `npm run test:all`, but for those on the disk after a power cut', () => {
    const paths = globSync('test/soak/**/*.test.ts', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
    const soak = readSoakTests(Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
    expect(soak).toContainEqual({
      row: 22,
      file: 'test/soak/containers.test.ts',
      title: 'a container sends a million chunks',
    })
    const made = new Set([...soak.map(({ row }) => row), ...Object.keys(PROOFS).map(Number), 5])
    expect(real.filter(({ row }) => !made.has(row))).toEqual([])
  })

  test('are proved by tests that there are', () => {
    for (const [row, proofs] of Object.entries(PROOFS)) {
      for (const { file, named } of proofs) {
        expect([row, file, existsSync(join(ROOT, file))]).toEqual([row, file, true])
        const titles = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^(?:describe|test|it)\('(.*?)'/gm)]
        if (named !== undefined) expect(titles.map(([, title]) => title)).toContainEqual(expect.stringMatching(named))
      }
    }
  })

  test.each([
    [SAFETY, 'safety > 12: SIGTERM', 12],
    [SAFETY, 'safety > a database', undefined],
    ['test/soak/power-loss/power-loss.test.ts', '5: power is cut', 5],
    ['test/api/clock-jumps.test.ts', 'a wall clock that jumps > 3: no soak', 7],
    ['test/api/bad-bodies.test.ts', 'a bad body > is refused', 15],
    ['test/api/bad-bodies.test.ts', 'wait > =0 is refused', 17],
    ['test/api/stream.test.ts', 'server-sent events > end', undefined],
  ])('%s, %s is about row %s', (file, name, row) => {
    expect(rowOf(file, name)).toBe(row)
  })
})

describe('the command line', () => {
  test('gives vitest what is not its own', () => {
    expect(readSoakOptions(['--report', 'safety.test.ts', '--share', '0.05', '-t', '1:', '--keep'])).toEqual({
      report: true,
      keep: true,
      proofs: false,
      last: false,
      share: 0.05,
      rest: ['safety.test.ts', '-t', '1:'],
    })
    expect(readSoakOptions([])).toEqual({
      report: false,
      keep: false,
      proofs: false,
      last: false,
      share: undefined,
      rest: [],
    })
  })

  test.each(['0', '-1', '1.1', 'half', ''])('refuses a share of %o', (share) => {
    expect(() => readSoakOptions(['--share', share])).toThrow('--share takes a number above 0 and up to 1')
  })
})
