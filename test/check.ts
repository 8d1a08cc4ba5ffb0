/** `npm run check`: runs the checks side by side and prints the output of those that fail. */
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

// One thread per type check: the checks already run side by side, and each thread would check the shared types again.
const TYPES = ['typescript-7/bin/tsc', '--checkers', '1', '--project']

/** Programs in node_modules with their arguments, the slowest first. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  architecture: ['vitest/vitest.mjs', 'run', '--project=architecture', '--reporter=dot'],
  'types of the program and its tests': [...TYPES, 'tsconfig.json'],
  'types of tests of the pages': [...TYPES, 'test/renderer'],
  'format and lint': ['@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
  'types of the pages': [...TYPES, 'src-renderer'],
  'unused code': ['knip/bin/knip.js', '--no-config-hints'],
  'types of contract, lib and rules': [...TYPES, 'src-main/tsconfig.pure.json'],
}

const startedAt = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const say = (text: string) => process.stdout.write(`${text}\n`)

const waiting = Object.entries(CHECKS)
let exitCode = 0
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting))
say(`check: ${exitCode === 0 ? 'passed' : 'FAILED'} in ${seconds(startedAt)}`)
process.exitCode = exitCode

async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, [program = '', ...args]] = next
    const since = performance.now()
    const { code, output } = await run(join(ROOT, 'node_modules', program), args)
    say(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds(since).padStart(7)}  ${name}`)
    if (code !== 0) say(output)
    exitCode ||= code
  }
}

/** Runs a script on Node. @returns its exit code, or 1 after a signal, and its stdout and stderr together */
function run(program: string, args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
