import { appendFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** How a test ended, a line of the file of results. */
export type OutcomeLine = {
  readonly kind: 'outcome'
  readonly at: string
  /** From the root. */
  readonly file: string
  /** With the names of its groups before it; empty for a file that could not be loaded. */
  readonly test: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** First line of the error, or the reason why it was skipped. */
  readonly why?: string | undefined
}

/** Notes how each test ended in the file that SAFETY_RESULTS names; does nothing without it. */
export default class NoteOutcomes implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    if (result.state === 'pending') return
    const why = result.state === 'skipped' ? result.note : firstLine(result.errors?.[0]?.message)
    note({ file: test.module.relativeModuleId, test: test.fullName, state: result.state, why })
  }

  onTestModuleEnd(module: TestModule): void {
    const [error] = module.errors()
    if (error === undefined) return
    note({ file: module.relativeModuleId, test: '', state: 'failed', why: firstLine(error.message) })
  }
}

const firstLine = (text: string | undefined) => text?.split('\n', 1)[0]

function note(outcome: Omit<OutcomeLine, 'kind' | 'at'>): void {
  const results = process.env.SAFETY_RESULTS
  if (results === undefined) return
  const line: OutcomeLine = { kind: 'outcome', at: new Date().toISOString(), ...outcome }
  appendFileSync(results, `${JSON.stringify(line)}\n`)
}
