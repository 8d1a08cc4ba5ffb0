import { writeSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What a run of tests came to. */
export interface RunSummary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
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
  let failed = unhandledErrors.length
  const skips = new Map<string, { file: string; reason: string; count: number }>()
  for (const module of modules) {
    failed += module.errors().length
    for (const suite of module.children.allSuites()) failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed') passed += 1
      else if (result.state === 'skipped') {
        const reason = result.note ?? (test.options.mode === 'todo' ? 'not written yet' : 'no reason given')
        const key = JSON.stringify([module.relativeModuleId, reason])
        const skip = skips.get(key) ?? { file: module.relativeModuleId, reason, count: 0 }
        skip.count += 1
        skips.set(key, skip)
      } else failed += 1
    }
  }
  const list = [...skips.values()]
  return { passed, failed, skipped: list.reduce((sum, skip) => sum + skip.count, 0), skips: list }
}

/** The closing line of a run, alone on its line and the same for every runner: `N passed, N failed[, N skipped]`. */
export function closingLine({ passed, failed, skipped }: Pick<RunSummary, 'passed' | 'failed' | 'skipped'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** Prints why tests were skipped and, as the very last line of the process, the closing line. */
export default class PrintSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const summary = summarize(modules, unhandledErrors)
    // On exit, because the other reporters and the teardown of the run may still print.
    process.once('exit', () => {
      const skips = summary.skips.map(({ file, reason, count }) => `skipped: ${count} in ${file}: ${reason}\n`)
      writeSync(1, `${skips.join('')}${closingLine(summary)}\n`)
    })
  }
}
