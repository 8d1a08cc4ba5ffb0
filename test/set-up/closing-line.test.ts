import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ended } from './clone.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Runs the real test runner with the project's reporter over test files of its own. */
async function run(files: Readonly<Record<string, string>>): Promise<{ code: number | null; lines: string[] }> {
  // Below node_modules, where the project's own run does not look and its packages are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.drydock-closing-line-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(ROOT, 'test/support/print-summary.ts'), join(folder, 'print-summary.ts'))
  const config = { reporters: ['dot', './print-summary.ts'], include: ['*.case.ts'], exclude: [], maxWorkers: 1 }
  writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify({ test: config })}\n`)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { afterAll, beforeEach, describe, expect, test } from 'vitest'\n${text}`)
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, VITEST: undefined }
  const end = await ended(
    spawn(process.execPath, [vitest, 'run'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  return { code: end.code, lines: end.stdout.trimEnd().split('\n') }
}

test('the last line counts the tests, after the reasons of the skipped ones', async () => {
  const { code, lines } = await run({
    'a.case.ts': `
      test('passes', () => {})
      describe('needs an engine', () => {
        beforeEach(({ skip }) => skip(true, 'no Docker engine'))
        test('starts', () => {})
        test('stops', () => {})
      })
      test.todo('later')`,
  })
  expect(lines.slice(-3)).toEqual([
    'skipped: 2 in a.case.ts: no Docker engine',
    'skipped: 1 in a.case.ts: not written yet',
    '1 passed, 0 failed, 3 skipped',
  ])
  expect(code).toBe(0)
})

test('what fails is told before the last line, and counts outside a test too', async () => {
  const { code, lines } = await run({
    'a.case.ts': `
      test('passes', () => {})
      test('fails', () => expect(1).toBe(2))
      describe('a suite', () => { afterAll(() => { throw new Error('hook') }); test('passes', () => {}) })`,
    'b.case.ts': `throw new Error('not loaded')`,
    'c.case.ts': `test('leaks', () => { Promise.reject(new Error('nobody waits')) })`,
  })
  expect(lines.at(-1)).toBe('3 passed, 4 failed')
  expect(lines.slice(-5, -1).sort()).toEqual([
    'failed: a.case.ts > a suite: hook',
    'failed: a.case.ts > fails: expected 1 to be 2 // Object.is equality',
    'failed: b.case.ts: not loaded',
    'failed: outside all tests: nobody waits',
  ])
  expect(code).toBe(1)
})
