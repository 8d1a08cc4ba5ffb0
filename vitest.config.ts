import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { PATIENCE_MS, TEST_LIMIT_MS } from './test/support/patience.ts'

// A soak test runs a fault hundreds of times, in ms.
const SOAK_LIMIT_MS = 15 * 60_000
// A test that makes a package copies 200 MB twice, beside others on two cores, in ms.
const PACKAGE_LIMIT_MS = 300_000

// Two cores are the smallest machine that it must run on, and more than four would wait for the longest file. Most tests
// wait for processes and containers for more than half of their time, those in browsers for less. Files of one group run
// side by side, and projects of one number are a group: the networks of containers, which come and go, would break off
// what browsers load.
const CORES = Math.max(2, Math.min(4, availableParallelism()))
const MOSTLY_WAITING = { maxWorkers: CORES * 2, groupOrder: 0 }
const IN_BROWSERS = { maxWorkers: Math.floor(CORES * 1.5), groupOrder: 1 }
// They measure spans and memory, and each would disturb the others.
const ONE_AT_A_TIME = { maxWorkers: 1, groupOrder: 2 }

// Folders whose tests start no processes and share nothing: their files may share one worker, which saves its start.
const IN_ONE_PROCESS = ['unit', 'api', 'architecture']
const IN_OWN_PROCESS = ['conformance', 'soak', 'comfy', 'renderer', 'pages', 'electron', 'alone']
const named = [...IN_ONE_PROCESS, ...IN_OWN_PROCESS]

// A `python3` of a version manager is a script, which takes a tenth of a second of the processor to find the program;
// tests start it a thousand times.
try {
  const program = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  process.env.PATH = `${dirname(program)}${delimiter}${process.env.PATH}`
  // Where Python is told to keep nothing of what it compiles, each of these starts would compile our packages anew.
  execFileSync(program, ['-m', 'compileall', '-q', join(import.meta.dirname, 'resources', 'python')])
} catch {
  // Tests that need Python say that there is none.
}

const project = (
  name: string,
  options: {
    include: string[]
    exclude?: string[]
    isolate: boolean
    limitMs?: number
    environment?: 'happy-dom'
    globalSetup?: string
    group?: typeof MOSTLY_WAITING
  },
) => ({
  extends: true as const,
  test: {
    name,
    include: options.include,
    exclude: ['**/node_modules/**', ...(options.exclude ?? [])],
    isolate: options.isolate,
    environment: options.environment ?? 'node',
    globalSetup: options.globalSetup ?? [],
    maxWorkers: (options.group ?? MOSTLY_WAITING).maxWorkers,
    sequence: { groupOrder: (options.group ?? MOSTLY_WAITING).groupOrder },
    testTimeout: options.limitMs ?? TEST_LIMIT_MS,
    hookTimeout: options.limitMs ?? TEST_LIMIT_MS,
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', './test/support/print-summary.ts', './test/soak/report/note-outcomes.ts'],
    projects: [
      ...IN_ONE_PROCESS.map((name) => project(name, { include: [`test/${name}/**/*.test.ts`], isolate: false })),
      project('conformance', { include: ['test/conformance/**/*.test.ts'], isolate: true }),
      project('renderer', { include: ['test/renderer/**/*.test.{ts,tsx}'], isolate: true, environment: 'happy-dom' }),
      // A browser drives the pages of real services; the pages are built first where they are not of these sources.
      project('pages', {
        include: ['test/pages/**/*.test.ts'],
        isolate: true,
        globalSetup: './test/support/build-all.ts',
        group: IN_BROWSERS,
      }),
      // What Electron runs, on Node; it is built first where it is not of these sources.
      project('electron', {
        include: ['test/electron/**/*.test.ts'],
        isolate: true,
        globalSetup: './test/support/build-all.ts',
        limitMs: PACKAGE_LIMIT_MS,
      }),
      // Everything else, so that a new folder of tests is never left out: e2e, python, docker, ...
      project('processes', {
        include: ['test/**/*.test.ts'],
        exclude: named.map((name) => `test/${name}/**`),
        isolate: true,
      }),
      // They judge spans, so all others have ended before.
      project('alone', { include: ['test/alone/**/*.test.ts'], isolate: true, group: ONE_AT_A_TIME }),
      // Only in `npm run test:comfy`, which installs the public editor's page.
      project('comfy', { include: ['test/comfy/**/*.test.ts'], isolate: true }),
      // Only in `npm run test:soak`; `npm test` leaves both out by name.
      project('soak', {
        include: ['test/soak/**/*.test.ts'],
        isolate: true,
        limitMs: SOAK_LIMIT_MS,
        group: ONE_AT_A_TIME,
      }),
    ],
  },
})
