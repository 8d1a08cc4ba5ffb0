import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { processFleet } from '../../src-main/app/core.ts'
import { freePort } from '../../src-main/http/server/listen.ts'
import { systemTime } from '../../src-main/http/server/system-ports.ts'
import type { WorkerStep } from '../support/fake-fleet.ts'
import { signal } from '../support/process-table.ts'
import type { FleetPlace } from './fleet.ts'

const RESOURCES = fileURLToPath(new URL('../../resources', import.meta.url))
const NODE_RUNTIME = { program: process.execPath, main: join(RESOURCES, 'node/svc-worker/main.ts') }
/** A log that nobody reads. */
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
/** The clock of a real service. */
export const realClock = { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after }

/**
 * A folder for real worker processes. It vanishes with the test.
 * @param lacks the parts of the system that are missing there
 */
export function processPlace(
  lacks: Pick<Parameters<typeof processFleet>[0], 'cgroups' | 'watch'> = {},
): FleetPlace & { readonly folder: string; readonly script: (text: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-fleet-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  let scripts = 0

  function script(text: string): string {
    scripts += 1
    const path = join(folder, `script-${scripts}.sh`)
    writeFileSync(path, text)
    return `/bin/sh ${path}`
  }

  return {
    folder,
    script,
    driver: (maxWorkers = () => 10) =>
      processFleet({
        clock: realClock,
        log: silent,
        folder: join(folder, 'workers'),
        runtimes: { pythonPath: join(RESOURCES, 'python'), node: NODE_RUNTIME },
        environment: process.env,
        maxWorkers,
        reach: () => ({ workerUrl: 'http://127.0.0.1:1', serviceUrl: 'http://127.0.0.1:2' }),
        endpointHosts: async () => ({ url: 'http://localhost:2', bundle: '/nowhere/bundle.pem' }),
        freePort,
        ...lacks,
      }),
    command: (steps) => script(scriptOf(steps)),
    poke: ({ pid = 0 }) => signal(pid, 'SIGUSR1'),
    kill: ({ pid = 0 }) => signal(pid, 'SIGKILL'),
    lives: ({ pid = 0 }) => isAlive(pid),
  }
}

/** Whether a process runs; one that has ended and waits to be reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false // no such process
  }
}

// A trap is run only while the shell itself waits, so it waits for a child that does nothing. Some shells tell of its
// end.
const LIVE = 'exec 2>/dev/null\nsleep 600 &\nwhile :; do wait $!; done'
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
/** The shell script of a worker that takes these steps. */
export function scriptOf(steps: readonly WorkerStep[]): string {
  return [...steps.map(line), ...(steps.some(isEnd) ? [] : [LIVE])].join('\n')
}

const isEnd = (step: WorkerStep) => 'exit' in step || 'die' in step

function line(step: WorkerStep): string {
  if ('print' in step) return `printf '%s\\n' ${quoted(step.print)}`
  if ('printEnv' in step) return `printf '%s\\n' "${step.printEnv}=$${step.printEnv}"`
  if ('printUnended' in step) return `printf '%s' ${quoted(step.printUnended)}`
  if ('exit' in step) return `exit ${step.exit}`
  if ('die' in step) return `kill -s ${step.die.slice(3)} $$`
  if ('ignore' in step) return `trap '' TERM`
  if ('onTerm' in step) return `trap ${quoted(`echo ${step.onTerm.print}; exit ${step.onTerm.exit}`)} TERM`
  return `trap ${quoted(`echo ${step.onPoke}`)} USR1`
}
