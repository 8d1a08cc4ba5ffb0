/**
 * Ends a CI run: `close-run.ts [--check CODE] REPORT...` gets the exit code of `npm run check` and the reports of the
 * parts of the run, and runs failed files once more, alone. Then it prints where the time went and the closing line, and
 * exits with 1 if something failed.
 *
 * A file that passes alone is printed as `flaky: FILE: TEST`. More than three flaky files fail the run, so that at most
 * four failed files run alone.
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
const failedFiles = files.filter(({ ok }) => !ok)
const reruns = failedFiles.slice(0, FLAKY_LIMIT + 1).map((file) => ({ file, alone: runAlone(file) }))
const flaky = reruns.flatMap(({ file, alone }) => (alone === undefined ? [] : { file, alone }))

printTimes()
for (const { file } of flaky)
  for (const test of file.failed.length > 0 ? file.failed : ['']) say(`flaky: ${file.file}: ${test}`)

const problems = reports.flatMap((report, index) => {
  if (report === undefined) return `a part of the run ended without its report ${positionals[index]}`
  return endedBadly(report) ? 'an error outside all tests, see above' : []
})
if (values.check !== '0') problems.push(`npm run check, with exit code ${values.check}`)
if (flaky.length > FLAKY_LIMIT)
  problems.push(`${flaky.length} files passed only when run alone, the limit is ${FLAKY_LIMIT}`)
for (const problem of problems) say(`failed: ${problem}`)

const failedAgain = reruns.flatMap(({ file, alone }) => (alone === undefined ? file : []))
for (const { file } of failedAgain) say(`failed: ${file}, also when run alone`)
const notRerun = failedFiles.slice(reruns.length)
for (const { file } of notRerun) say(`failed: ${file}, not run alone after ${reruns.length} others`)

const failedTests = [...failedAgain, ...notRerun].reduce((total, { failed }) => total + Math.max(1, failed.length), 0)
const failed = problems.length + failedTests
const recovered = flaky.reduce((total, { file, alone }) => total + alone.passed - file.passed, 0)
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

/** Runs a file again. @returns its report; undefined if it failed again */
function runAlone({ project, file, passed, failedTests }: FileReport): RunReport | undefined {
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
  return isGood ? report : undefined
}

/** Prints a line for each project: files, seconds from the first start to the last end, and seconds of CPU time. */
function printTimes() {
  const rows = [...Map.groupBy(files, ({ project }) => project)].map(([project, members]) => {
    const costs = members.flatMap((member) => member.costs ?? [])
    const first = Math.min(...costs.map(({ startedAt }) => startedAt))
    const last = Math.max(...costs.map(({ endedAt }) => endedAt))
    // A file that did not run to its end has no costs.
    const wall = costs.length > 0 ? last - first : 0
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
