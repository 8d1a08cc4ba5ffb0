/**
 * Ends a CI run: `close-run.ts [--check CODE] REPORT...` gets the exit code of `npm run check`, reads the reports of the
 * parts of the run, and runs each failed file once more, alone. Then it prints where the time went and the closing line, and exits with 1 if something failed.
 *
 * A file that passes alone is printed as `flaky: FILE: TEST`. More than three flaky files fail the run.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { closingLine, type FileReport, minutes, type RunReport } from './print-summary.ts'

const FLAKY_LIMIT = 3
const VITEST = join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs')

const folder = mkdtempSync(join(tmpdir(), 'drydock-close-run-'))
const say = (line: string) => process.stdout.write(`${line}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'string', default: '0' } },
})
const reports = positionals.map(readReport)
const files = reports.flatMap((report) => report?.files ?? [])
const again = files.filter(({ ok }) => !ok).map((file) => ({ file, passedAlone: passedAlone(file) }))
const flaky = again.flatMap(({ file, passedAlone }) => (passedAlone === undefined ? [] : file))

printTimes()
for (const { file, failed } of flaky)
  for (const test of failed.length > 0 ? failed : ['']) say(`flaky: ${file}: ${test}`)

const lost = reports.filter((report) => report === undefined).length
const otherwise = reports.filter((report) => report !== undefined && endedBadly(report)).length
const failedFiles = again.filter(({ passedAlone }) => passedAlone === undefined)
const failures = failedFiles.reduce((sum, { file }) => sum + Math.max(1, file.failed.length), 0)
const tooMany = flaky.length > FLAKY_LIMIT ? 1 : 0
const unchecked = values.check === '0' ? 0 : 1
if (unchecked > 0) say(`failed: npm run check, with exit code ${values.check}`)
if (lost > 0) say(`failed: ${lost} of ${reports.length} parts ended without a report`)
if (otherwise > 0) say('failed: an error outside all tests, see above')
if (tooMany > 0) say(`failed: ${flaky.length} files passed only when run alone, the limit is ${FLAKY_LIMIT}`)
for (const { file } of failedFiles) say(`failed: ${file.file}, also when run alone`)

const failed = failures + unchecked + lost + otherwise + tooMany
const recovered = again.reduce((total, { file, passedAlone = file.passed }) => total + passedAlone - file.passed, 0)
say(closingLine({ passed: sum(({ passed }) => passed) + recovered, failed, skipped: sum(({ skipped }) => skipped) }))
rmSync(folder, { recursive: true, force: true })
process.exitCode = failed > 0 ? 1 : 0

function sum(of: (report: RunReport) => number): number {
  return reports.reduce((total, report) => total + (report === undefined ? 0 : of(report)), 0)
}

function readReport(path: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}

/** True if the runner failed for a reason outside all files, so that there is no file to run again. */
function endedBadly({ exitCode, failures, files: all }: RunReport): boolean {
  if (failures.some((failure) => failure.startsWith('outside all tests'))) return true
  return exitCode !== 0 && all.every(({ ok }) => ok)
}

/** Runs a file again. @returns how many tests passed; undefined if it failed again */
function passedAlone({ project, file, passed, failedTests }: FileReport): number | undefined {
  say(`running once more, alone: ${file}`)
  const path = join(folder, 'alone.json')
  rmSync(path, { force: true })
  spawnSync(process.execPath, [VITEST, 'run', '--project', project, file], {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: path },
  })
  const report = readReport(path)
  // A failed test that is skipped now, because its engine is gone, has not passed.
  const hasPassed = report !== undefined && report.passed > 0 && report.passed >= passed + failedTests
  const isGood = hasPassed && report.exitCode === 0 && report.failed === 0
  return isGood ? report.passed : undefined
}

/** Prints a line for each project: files, seconds from the first start to the last end, and seconds of CPU time. */
function printTimes() {
  const rows = [...Map.groupBy(files, ({ project }) => project)].map(([project, members]) => {
    const costs = members.flatMap((member) => member.costs ?? [])
    const wall = Math.max(...costs.map(({ endedAt }) => endedAt)) - Math.min(...costs.map(({ startedAt }) => startedAt))
    const own = costs.reduce((total, { ownMs }) => total + ownMs, 0)
    const started = costs.reduce((total, { startedMs }) => total + startedMs, 0)
    return { project, files: members.length, wall, own, started }
  })
  say(`${'project'.padEnd(14)}${['files', 'wall s', 'own s', 'started s'].map((name) => name.padStart(11)).join('')}`)
  const total = {
    project: 'all',
    files: files.length,
    wall: sum(({ tookMs }) => tookMs),
    own: rows.reduce((all, { own }) => all + own, 0),
    started: rows.reduce((all, { started }) => all + started, 0),
  }
  for (const row of [...rows.toSorted((a, b) => b.own + b.started - a.own - a.started), total]) {
    const cells = [row.files, row.wall / 1000, row.own / 1000, row.started / 1000]
    say(`${row.project.padEnd(14)}${cells.map((cell) => String(Math.round(cell)).padStart(11)).join('')}`)
  }
  say('own: CPU time of the test processes; started: of processes that they started. The most expensive files:')
  const dearest = files.toSorted((a, b) => cost(b) - cost(a)).slice(0, 15)
  for (const file of dearest)
    say(
      `${Math.round(cost(file) / 1000)
        .toString()
        .padStart(6)} s  ${file.file}`,
    )
  say(`took ${minutes(total.wall)}`)
}

function cost({ costs }: FileReport): number {
  return costs === undefined ? 0 : costs.ownMs + costs.startedMs
}
