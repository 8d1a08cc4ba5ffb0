import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PYTHONPATH = fileURLToPath(new URL('../../resources/python', import.meta.url))
const run = promisify(execFile)

// A file has dozens of tests that start processes, on a busy machine. In ms.
const FILE_LIMIT_MS = 600_000

/**
 * Makes a test for each Python test file next to a module, and a test that such files exist.
 * @param module URL of the module
 * @param about what they test, for the tests' names
 */
export function testPythonFiles(module: string, about: string): void {
  const folder = fileURLToPath(new URL('.', module))
  const files = readdirSync(folder).filter((name) => /^test_\w+\.py$/.test(name))

  // One at a time: each file starts many processes, while other test files keep the CPU busy.
  test.for(files)(`the Python tests of ${about} in %s pass`, { timeout: FILE_LIMIT_MS }, async (file) => {
    const printed = await whatItPrints(folder, file)
    expect(printed).toMatch(/^Ran [1-9]\d* tests? in [\d.]+s\n\nOK(?: \(skipped=\d+\))?\n$/m)
    for (const [skipped] of printed.matchAll(/^.* skipped ['"].*$/gm)) process.stdout.write(`${file}: ${skipped}\n`)
  })

  test(`there are Python tests of ${about}`, () => {
    expect(files.length).toBeGreaterThan(0)
  })
}

/** The whole output of unittest for a file, also when a test failed. */
async function whatItPrints(folder: string, file: string): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, PYTHONPATH } }
  try {
    return (await run('python3', ['-m', 'unittest', '--verbose', file], options)).stderr
  } catch (error) {
    return (error as { stderr?: string }).stderr ?? String(error)
  }
}
