import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ended } from './clone.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SUPPORT = ['print-summary.ts', 'note-costs.ts', 'close-run.ts']

type Result = { readonly code: number | null; readonly lines: readonly string[] }

/** A folder with test files, for the real test runner with the project's reporter. */
function testFolder(files: Readonly<Record<string, string>>) {
  // Below node_modules, where the project's own run does not look and its packages are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.drydock-closing-line-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of SUPPORT) symlinkSync(join(ROOT, 'test/support', name), join(folder, name))
  const config = {
    name: 'cases',
    reporters: ['dot', './print-summary.ts'],
    setupFiles: ['./note-costs.ts'],
    include: ['*.case.ts'],
    exclude: [],
    maxWorkers: 1,
  }
  writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify({ test: config })}\n`)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { afterAll, beforeEach, describe, expect, test } from 'vitest'\n${text}`)
  }
  const report = join(folder, 'report.json')
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, VITEST: undefined, TEST_REPORT: report }
  const start = async (program: string, ...args: readonly string[]): Promise<Result> => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const end = await ended(child)
    return { code: end.code, lines: end.stdout.trimEnd().split('\n') }
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  return {
    run: () => start(process.execPath, vitest, 'run'),
    /** Reads nothing before the run has written its report. */
    runReadLate: () => {
      const tests = `'${process.execPath}' '${vitest}' run --reporter=./print-summary.ts`
      return start('sh', '-c', `${tests} | { until [ -s '${report}' ]; do sleep 0.1; done; cat; }`)
    },
    close: (...args: readonly string[]) =>
      start(process.execPath, join(ROOT, 'test/support/close-run.ts'), report, ...args),
  }
}

const run = (files: Readonly<Record<string, string>>) => testFolder(files).run()

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
  expect(lines.slice(-4)).toEqual([
    'skipped: 2 in a.case.ts: no Docker engine',
    'skipped: 1 in a.case.ts: not written yet',
    expect.stringMatching(/^took \d+ s$/),
    '1 passed, 0 failed, 3 skipped',
  ])
  expect(code).toBe(0)
})

test('failures are printed before the last line, and count outside a test too', async () => {
  const { code, lines } = await run({
    'a.case.ts': `
      test('passes', () => {})
      test('fails', () => expect(1).toBe(2))
      describe('a suite', () => { afterAll(() => { throw new Error('hook') }); test('passes', () => {}) })`,
    'b.case.ts': `throw new Error('not loaded')`,
    'c.case.ts': `test('leaks', () => { Promise.reject(new Error('nobody waits')) })`,
  })
  expect(lines.at(-1)).toBe('3 passed, 4 failed')
  expect(lines.slice(-6, -2).sort()).toEqual([
    'failed: a.case.ts > a suite: hook',
    'failed: a.case.ts > fails: expected 1 to be 2 // Object.is equality',
    'failed: b.case.ts: not loaded',
    'failed: outside all tests: nobody waits',
  ])
  expect(code).toBe(1)
})

test('the last line is printed even if the output is long and its reader slow', async () => {
  const folder = testFolder({
    'a.case.ts': `test.for(Array.from({ length: 300 }))('fails', () => { throw new Error('x'.repeat(300)) })`,
  })
  expect((await folder.runReadLate()).lines.at(-1)).toBe('0 passed, 300 failed')
})

// Fails on the first run in a folder, and passes after that.
const ONCE = `
  import { existsSync, writeFileSync } from 'node:fs'
  test('fails once', ({ task }) => {
    const seen = task.file.filepath + '.seen'
    const first = !existsSync(seen)
    writeFileSync(seen, '')
    expect(first).toBe(false)
  })
  test('passes', () => {})`

test('a file that passes alone is named as flaky, and the run passes', async () => {
  const folder = testFolder({ 'a.case.ts': ONCE, 'b.case.ts': `test('passes', () => {})` })
  expect((await folder.run()).lines.at(-1)).toBe('2 passed, 1 failed')
  const { code, lines } = await folder.close()
  expect(lines).toContain('flaky: a.case.ts: fails once')
  expect(lines.find((line) => line.startsWith('cases'))).toMatch(/^cases +2 /)
  expect(lines.at(-1)).toBe('3 passed, 0 failed')
  expect(code).toBe(0)
})

test('a test that failed and is skipped when run alone has not passed', async () => {
  const folder = testFolder({
    'a.case.ts': `
      import { existsSync, writeFileSync } from 'node:fs'
      test('fails once, then has no engine', ({ skip, task }) => {
        const seen = task.file.filepath + '.seen'
        skip(existsSync(seen), 'no Docker engine')
        writeFileSync(seen, '')
        throw new Error('the engine went away')
      })
      test('passes', () => {})`,
  })
  await folder.run()
  const { code, lines } = await folder.close()
  expect(lines).toContain('failed: a.case.ts, also when run alone')
  expect(lines.at(-1)).toBe('1 passed, 1 failed')
  expect(code).toBe(1)
})

test('a suite whose clean-up failed once is flaky', async () => {
  const folder = testFolder({
    'a.case.ts': `
      import { existsSync, writeFileSync } from 'node:fs'
      describe('a suite', () => {
        afterAll(({}, suite) => {
          const seen = suite.file.filepath + '.seen'
          const first = !existsSync(seen)
          writeFileSync(seen, '')
          if (first) throw new Error('clean-up')
        })
        test('passes', () => {})
      })`,
  })
  await folder.run()
  const { code, lines } = await folder.close()
  expect(lines).toContain('flaky: a.case.ts: a suite')
  expect(lines.at(-1)).toBe('1 passed, 0 failed')
  expect(code).toBe(0)
})

test('more than three flaky files fail the run', async () => {
  const names = ['a', 'b', 'c', 'd']
  const folder = testFolder(Object.fromEntries(names.map((name) => [`${name}.case.ts`, ONCE])))
  await folder.run()
  const { code, lines } = await folder.close()
  expect(lines.filter((line) => line.startsWith('flaky: '))).toHaveLength(4)
  expect(lines.at(-1)).toBe('8 passed, 1 failed')
  expect(code).toBe(1)
})

test('of many failed files only one more than may be flaky runs alone', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const folder = testFolder(Object.fromEntries(names.map((name) => [`${name}.case.ts`, ONCE])))
  await folder.run()
  const { code, lines } = await folder.close()
  expect(lines.filter((line) => line.startsWith('running once more, alone: '))).toHaveLength(4)
  expect(lines.filter((line) => line.endsWith(', not run alone after 4 others'))).toHaveLength(2)
  expect(lines.at(-1)).toBe('10 passed, 3 failed')
  expect(code).toBe(1)
})

test('a file that could not be loaded has no costs, and its project took no time', async () => {
  const folder = testFolder({ 'a.case.ts': `throw new Error('not loaded')` })
  await folder.run()
  const { lines } = await folder.close()
  expect(lines.find((line) => line.startsWith('cases'))).toMatch(/^cases +1 +0 +0 +0$/)
  expect(lines.at(-1)).toBe('0 passed, 1 failed')
})

test('a file that fails again alone, an error outside all tests and a part without a report fail the run', async () => {
  const folder = testFolder({
    'a.case.ts': `test('fails', () => expect(1).toBe(2))`,
    'b.case.ts': `test('leaks', () => { Promise.reject(new Error('nobody waits')) })`,
  })
  await folder.run()
  const { code, lines } = await folder.close('no-such-report.json')
  expect(lines).toContain('failed: a.case.ts, also when run alone')
  expect(lines.at(-1)).toBe('1 passed, 3 failed')
  expect(code).toBe(1)
})

test('a failed check fails a run in which all tests passed', async () => {
  const folder = testFolder({ 'a.case.ts': `test('passes', () => {})` })
  await folder.run()
  const { code, lines } = await folder.close('--check', '3')
  expect(lines.slice(-2)).toEqual(['failed: npm run check, with exit code 3', '1 passed, 1 failed'])
  expect(code).toBe(1)
  expect((await folder.close('--check', '0')).lines.at(-1)).toBe('1 passed, 0 failed')
})
