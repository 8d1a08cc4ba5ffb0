import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { watchedModules } from './test/platform/clients.ts'
import { BeginWithWaiting } from './test/support/begin-with-waiting.ts'
import { PATIENCE_MS, TEST_LIMIT_MS } from './test/support/patience.ts'

// For a soak test, which repeats a fault hundreds of times, in ms.
const SOAK_LIMIT_MS = 15 * 60_000
// For a test that makes a package and copies 200 MB twice, on two busy cores, in ms.
const PACKAGE_LIMIT_MS = 300_000

// Projects of one group run side by side; the next group starts after the previous one.
const CORES = Math.max(2, Math.min(4, availableParallelism()))
// Tests that start no processes keep a core busy.
const COMPUTING = { maxWorkers: CORES, groupOrder: 0 }
// Tests of processes and containers spend half of their time waiting; a third file per core made none faster.
const WAITING = { maxWorkers: CORES * 2, groupOrder: 1 }
// Chromium cancels its requests when a container network comes or goes, so these tests run after those of containers.
const IN_BROWSERS = { maxWorkers: CORES * 2, groupOrder: 2 }
// Tests that measure time or memory disturb each other.
const ALONE = { maxWorkers: 1, groupOrder: 3 }

const SMOKE = '**/*.smoke.test.ts'
const BUILT = './test/support/build-all.ts'

type Options = {
  include?: string[]
  exclude?: string[]
  /** True: a process for each file. False: files share a process; they start none and change no global state. */
  isolate?: boolean
  limitMs?: number
  environment?: 'happy-dom'
  globalSetup?: string
  setupFiles?: string
  env?: Record<string, string>
  /** Other folders of packages, by name. */
  alias?: Record<string, string>
  /** Default: WAITING. */
  group?: typeof WAITING
}

/** The tests of the folder `test/NAME`, unless `include` names others. */
function project(name: string, options: Options = {}) {
  const { include = [`test/${name}/**/*.test.{ts,tsx}`], exclude = [SMOKE], isolate = true, group = WAITING } = options
  const limitMs = options.limitMs ?? TEST_LIMIT_MS
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', ...exclude],
      isolate,
      environment: options.environment ?? 'node',
      globalSetup: options.globalSetup ?? [],
      setupFiles: options.setupFiles ?? [],
      env: options.env ?? {},
      alias: options.alias ?? {},
      maxWorkers: group.maxWorkers,
      sequence: { groupOrder: group.groupOrder },
      testTimeout: limitMs,
      hookTimeout: limitMs,
    },
  }
}

/** Projects of `npm test`: unit, API, component and architecture tests, and smoke tests with real processes. */
const QUICK = [
  project('unit', { isolate: false, group: COMPUTING }),
  project('api', { isolate: false, group: COMPUTING }),
  project('architecture', { isolate: false, group: COMPUTING }),
  project('renderer', {
    isolate: false,
    environment: 'happy-dom',
    setupFiles: './test/renderer/fresh-window.ts',
    group: COMPUTING,
  }),
  project('smoke', { include: [`test/${SMOKE}`], exclude: ['test/pages/**'], globalSetup: BUILT }),
  project('pages-smoke', {
    include: [`test/pages/${SMOKE}`],
    exclude: [],
    globalSetup: BUILT,
    group: IN_BROWSERS,
  }),
]

/** Further projects of `npm run test:all`. */
const REST = [
  project('conformance'),
  project('pages', { globalSetup: BUILT, group: IN_BROWSERS }),
  project('electron', { globalSetup: BUILT, limitMs: PACKAGE_LIMIT_MS }),
  project('desktop', { globalSetup: BUILT, group: IN_BROWSERS, limitMs: PACKAGE_LIMIT_MS }),
  // The page flows of `npm test` once more, in the window of Electron.
  project('pages-in-window', {
    include: [`test/pages/${SMOKE}`],
    exclude: [],
    globalSetup: BUILT,
    group: IN_BROWSERS,
    env: { DRYDOCK_TEST_WINDOW: 'electron' },
  }),
  project('alone', { group: ALONE }),
]

/** Projects with their own commands: `npm run test:comfy`, `npm run test:platform` and `npm run test:soak`. */
const TOOLS = [
  project('comfy'),
  // The tests of `sdk` once more, with the newest release of each public client.
  project('platform', {
    include: ['test/sdk/**/*.test.ts'],
    // They run older clients, or our own.
    exclude: ['test/sdk/{pinned-worker,stream-form,svc-worker}.test.ts'],
    globalSetup: './test/platform/install.ts',
    alias: watchedModules(),
  }),
  project('soak', { limitMs: SOAK_LIMIT_MS, group: ALONE }),
]

// All other folders, so that no new folder is left out.
const named = [...QUICK, ...REST, ...TOOLS].map(({ test }) => `test/${test.name}/**`)
const PROCESSES = project('processes', { include: ['test/**/*.test.ts'], exclude: [SMOKE, ...named] })

usePlainPython()
// Threads and programs that run from the sources take half the CPU time to start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'drydock', 'compiled')

export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: BeginWithWaiting },
    setupFiles: ['./test/support/note-costs.ts'],
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', './test/support/print-summary.ts', './test/soak/report/note-outcomes.ts'],
    projects: [...QUICK, ...REST, PROCESSES, ...TOOLS],
  },
})

// A version manager's `python3` is a shell script that takes 0.1 s to find the program, and tests start it a thousand times.
function usePlainPython() {
  try {
    const program = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
    process.env.PATH = `${dirname(program)}${delimiter}${process.env.PATH}`
    // With PYTHONDONTWRITEBYTECODE set, each start would compile our packages again.
    execFileSync(program, ['-m', 'compileall', '-q', join(import.meta.dirname, 'resources', 'python')])
  } catch {
    // Tests that need Python skip themselves, with the reason.
  }
}
