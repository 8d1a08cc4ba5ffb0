import { writeFileSync, writeSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import type { Costs } from './note-costs.ts'

/** The result of a test run. */
export interface RunSummary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** By file and test, with the first line of each error. */
  readonly failures: readonly string[]
  /** Why tests were skipped, by file and reason, in the order of the run. */
  readonly skips: readonly { readonly file: string; readonly reason: string; readonly count: number }[]
}

/**
 * Counts a run. A file that could not be loaded, a failing hook of a suite and an error outside all tests count as one
 * failure each: a run that exits with an error must not close on `0 failed`.
 * @param modules the test files of the run.
 * @param unhandledErrors the errors that belong to no test.
 */
export function summarize(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): RunSummary {
  let passed = 0
  const failures = unhandledErrors.map((error) => `outside all tests: ${firstLine([error])}`)
  const skips = new Map<string, { file: string; reason: string; count: number }>()
  for (const module of modules) {
    const file = module.relativeModuleId
    failures.push(...module.errors().map((error) => `${file}: ${firstLine([error])}`))
    for (const suite of module.children.allSuites()) {
      failures.push(...suite.errors().map((error) => `${file} > ${suite.fullName}: ${firstLine([error])}`))
    }
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed') passed += 1
      else if (result.state === 'skipped') {
        const reason = result.note ?? (test.options.mode === 'todo' ? 'not written yet' : 'no reason given')
        const key = JSON.stringify([file, reason])
        const skip = skips.get(key) ?? { file, reason, count: 0 }
        skip.count += 1
        skips.set(key, skip)
      } else failures.push(`${file} > ${test.fullName}: ${firstLine(result.errors ?? [])}`)
    }
  }
  const list = [...skips.values()]
  const skipped = list.reduce((sum, skip) => sum + skip.count, 0)
  return { passed, failed: failures.length, failures, skipped, skips: list }
}

// In characters: enough to tell one cause from another.
const LINE_LENGTH = 300

function firstLine(errors: readonly SerializedError[]): string {
  const [line = ''] = stripVTControlCharacters(errors[0]?.message ?? 'no error message')
    .trim()
    .split('\n')
  return line.slice(0, LINE_LENGTH)
}

/** The closing line of a run, alone on its line and the same for every runner: `N passed, N failed[, N skipped]`. */
export function closingLine({ passed, failed, skipped }: Pick<RunSummary, 'passed' | 'failed' | 'skipped'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The content of the file that TEST_REPORT names. */
export interface RunReport extends RunSummary {
  readonly exitCode: number
  readonly tookMs: number
  readonly files: readonly FileReport[]
}

export interface FileReport {
  readonly project: string
  /** Path from the root. */
  readonly file: string
  readonly passed: number
  /** Names of the tests that failed, or of the suites; empty for a file that could not be loaded. */
  readonly failed: readonly string[]
  /** How many of `failed` are tests. */
  readonly failedTests: number
  readonly ok: boolean
  /** Absent if the file did not run to its end. */
  readonly costs?: Costs | undefined
}

function reportFile(module: TestModule): FileReport {
  const failedTests = [...module.children.allTests('failed')]
  const failedSuites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    passed: [...module.children.allTests('passed')].length,
    failed: [...failedTests, ...failedSuites].map(({ fullName }) => fullName),
    failedTests: failedTests.length,
    ok: module.ok(),
    costs: module.meta().costs,
  }
}

/** `4 min 7 s`. */
export function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/**
 * Prints why tests were skipped, what failed, how long the run took and, as the very last line of the process, the
 * closing line. Writes a report to the file that TEST_REPORT names.
 */
export default class PrintSummary implements Reporter {
  // At once: a run that is ended from outside never prints its list.
  onTestModuleEnd(module: TestModule): void {
    for (const test of module.children.allTests('failed')) {
      const errors = test.result().errors ?? []
      const texts = errors.map(({ stack, message, diff }) => {
        const own = (stack ?? message).split('\n').filter((line) => !line.includes('/node_modules/'))
        return stripVTControlCharacters([...own, diff ?? ''].join('\n'))
      })
      process.stdout.write(`failure of ${module.relativeModuleId} > ${test.fullName}\n${texts.join('\n')}\n`)
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const summary = summarize(modules, unhandledErrors)
    const files = modules.map(reportFile)
    // On exit, because the other reporters and the teardown of the run may still print.
    process.once('exit', (exitCode) => {
      const tookMs = Math.round(performance.now())
      const report: RunReport = { ...summary, exitCode, tookMs, files }
      if (process.env.TEST_REPORT !== undefined) writeFileSync(process.env.TEST_REPORT, JSON.stringify(report))
      const skips = summary.skips.map(({ file, reason, count }) => `skipped: ${count} in ${file}: ${reason}\n`)
      const failures = summary.failures.map((failure) => `failed: ${failure}\n`)
      writeAll(`${skips.join('')}${failures.join('')}took ${minutes(tookMs)}\n${closingLine(summary)}\n`)
    })
  }
}

const RETRY_MS = 10

/** Writes all of a text to stdout before it returns. A pipe with a slow reader takes a part of it, or nothing. */
function writeAll(text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}
