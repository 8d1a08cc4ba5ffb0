import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { recordSafety, soakFault } from '../../soak/support/record-safety.ts'

afterEach(() => vi.unstubAllEnvs())

/** A file of results, and what is in it. */
function resultsFile() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-results-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'results.jsonl')
  vi.stubEnv('SAFETY_RESULTS', file)
  return () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
}

describe('a test of the soak', () => {
  test('notes its figures with its name and file', () => {
    const read = resultsFile()
    recordSafety({ row: 5, runs: 5000, of: 5000, worst: 3, unit: 'files', more: { writes: 12 } })
    expect(read()).toEqual([
      {
        kind: 'figures',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        file: 'test/unit/reports/record-safety.test.ts',
        test: 'a test of the soak > notes its figures with its name and file',
        row: 5,
        runs: 5000,
        of: 5000,
        worst: 3,
        unit: 'files',
      },
    ])
  })

  test.each([
    ['1', 100],
    ['0.05', 5],
    ['0.001', 1],
  ])('makes its fault a part of %s as often: %i times', async (share, runs) => {
    const read = resultsFile()
    vi.stubEnv('SOAK_SHARE', share)
    await soakFault({ row: 2, of: 100, limitMs: 10 }, async (count) => ({ runs: count, slowestMs: 9.6 }))
    expect(read()).toMatchObject([{ row: 2, runs, of: 100, worst: 10, unit: 'ms', limit: 10 }])
  })

  test('that is too slow notes nothing', async () => {
    vi.stubEnv('SAFETY_RESULTS', '/nowhere/results.jsonl')
    const slow = soakFault({ row: 2, of: 1, limitMs: 10 }, async (runs) => ({ runs, slowestMs: 11 }))
    await expect(slow).rejects.toThrow('expected 11 to be less than or equal to 10')
  })
})
