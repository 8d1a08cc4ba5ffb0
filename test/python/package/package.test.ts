import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const FILES = readdirSync(FOLDER).filter((name) => /^test_\w+\.py$/.test(name))
const run = promisify(execFile)

/** Runs one Python test file; what unittest printed comes back whole, also when a test failed. */
async function runPythonTests(file: string): Promise<string> {
  try {
    return (await run('python3', ['-m', 'unittest', file], { cwd: FOLDER })).stderr
  } catch (error) {
    return (error as { stderr?: string }).stderr ?? String(error)
  }
}

test.concurrent.for(FILES)('the Python tests of %s pass', async (file) => {
  expect(await runPythonTests(file)).toMatch(/^Ran [1-9]\d* tests? in [\d.]+s\n\nOK(?: \(skipped=\d+\))?\n$/m)
})

test('there are Python tests', () => {
  expect(FILES.length).toBeGreaterThan(0)
})
