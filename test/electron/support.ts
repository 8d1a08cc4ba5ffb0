/** Runs a real service under the supervisor of the desktop. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { findOtherService } from '../../src-main/app/desktop/find-other-service.ts'
import { startServiceChild } from '../../src-main/app/desktop/service-child.ts'
import {
  type ServiceArguments,
  type ServiceChild,
  type ServiceState,
  ServiceSupervisor,
} from '../../src-main/app/desktop/supervise-service.ts'
import { systemTime } from '../../src-main/http/server/system-ports.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { processesMarked, signal } from '../support/process-table.ts'
import { until as untilWithin } from '../support/served-service.ts'

const COMMAND_LINE = join(import.meta.dirname, '..', '..', 'out', 'desktop', 'cli.js')

/** Retries `check` until it no longer throws. @returns its result */
export const until = <T>(check: () => T | Promise<T>): Promise<T> => untilWithin(check, PATIENCE_MS)

/** Creates a folder that is deleted after the test, and a mark for the processes of the test. */
export function place() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-desktop-'))
  const mark = { name: 'DOCK_TEST_MARK', value: randomUUID() }
  const marked = () => processesMarked(`${mark.name}=${mark.value}`)
  onTestFinished(async () => {
    for (const { pid } of marked()) signal(pid, 'SIGKILL')
    await until(() => expect(marked()).toEqual([]))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return { folder, data: join(folder, 'data'), mark, marked }
}

/** Starts a service process as the desktop does. @param program script to run instead of the command line */
function startChild(
  options: ServiceArguments,
  {
    mark,
    log,
    program = COMMAND_LINE,
  }: { readonly mark: Mark; readonly log: string; readonly program?: string | undefined },
): ServiceChild {
  const commandLine = { program: process.execPath, args: [program] }
  return startServiceChild(options, { commandLine, log, env: { ...process.env, [mark.name]: mark.value } })
}

type Mark = { readonly name: string; readonly value: string }

/** Creates a supervisor on a new folder; it stops after the test. */
export function supervised({
  program,
  port,
  ...on
}: {
  readonly program?: string
  readonly port?: number
  readonly data?: string
} = {}) {
  const { folder, mark, marked, ...fresh } = place()
  const data = on.data ?? fresh.data
  const states: ServiceState[] = []
  const children: ServiceChild[] = []
  const log = join(folder, 'service-output.log')
  const supervisor = new ServiceSupervisor({
    data,
    port,
    time: systemTime,
    startChild(options) {
      const child = startChild(options, { mark, log, program })
      children.push(child)
      return child
    },
    findOther: () => findOtherService(data, systemTime),
    onChange: (state) => void states.push(state),
  })
  onTestFinished(() => supervisor.stop())
  return {
    ...{ supervisor, states, data, folder, log, marked },
    /** Pid of the latest process. */
    pid: () => children.at(-1)?.pid ?? 0,
    /** Waits until the service has reached a state `times` times in total. */
    reached: <Kind extends ServiceState['kind']>(kind: Kind, times = 1) =>
      until(() => {
        const found = states.filter((state): state is Extract<ServiceState, { kind: Kind }> => state.kind === kind)
        const state = found[times - 1]
        if (state === undefined) throw new Error(`only ${found.length} times ${kind}: ${JSON.stringify(states)}`)
        return state
      }),
  }
}
