/**
 * A real service under the supervisor of the desktop. What stands for Electron's utility process is a child of Node
 * that runs the same file.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { findOtherService } from '../../src-main/electron/find-other-service.ts'
import { recordOutput } from '../../src-main/electron/last-output.ts'
import type { ServiceArguments } from '../../src-main/electron/service-messages.ts'
import { type ServiceChild, type ServiceState, ServiceSupervisor } from '../../src-main/electron/supervise-service.ts'
import { systemTime } from '../../src-main/server/system-ports.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { processesMarked, signal } from '../support/process-table.ts'
import { until as untilWithin } from '../support/served-service.ts'

const SERVICE = fileURLToPath(new URL('../../src-main/electron/service-process.ts', import.meta.url))

/** Waits until `look` no longer throws, and gives what it returned. */
export const until = <T>(look: () => T | Promise<T>): Promise<T> => untilWithin(look, PATIENCE_MS)

/** A fresh folder, gone with the test, and what it marks the processes of the test with. */
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

/** Starts the process of a service as Electron would. @param program the file that is run */
export function startAsNode(
  options: ServiceArguments,
  {
    mark,
    log,
    program = SERVICE,
  }: { readonly mark: Mark; readonly log: string; readonly program?: string | undefined },
): ServiceChild & { readonly pid: number } {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    env: { ...process.env, [mark.name]: mark.value },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const words = recordOutput(log)
  child.stderr?.on('data', words.onOutput)
  return {
    pid: child.pid ?? 0,
    // One that is just ending takes no message, which is no error of the test.
    post: (message) => void (child.connected && child.send(message as string, () => undefined)),
    kill: () => void child.kill('SIGKILL'),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.once('close', (code) => listener(code, words.line())),
  }
}

type Mark = { readonly name: string; readonly value: string }

/** A supervisor on a fresh folder; it is stopped with the test. */
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
  const children: { readonly pid: number }[] = []
  const log = join(folder, 'service-output.log')
  const supervisor = new ServiceSupervisor({
    data,
    port,
    time: systemTime,
    startChild(options) {
      const child = startAsNode(options, { mark, log, program })
      children.push(child)
      return child
    },
    findOther: () => findOtherService(data, systemTime),
    onChange: (state) => void states.push(state),
  })
  onTestFinished(() => supervisor.stop())
  return {
    ...{ supervisor, states, data, folder, log, marked },
    /** Number of the process that was started last. */
    pid: () => children.at(-1)?.pid ?? 0,
    /** Waits until the service is in this state, `times` times from the beginning. */
    reached: <Kind extends ServiceState['kind']>(kind: Kind, times = 1) =>
      until(() => {
        const found = states.filter((state): state is Extract<ServiceState, { kind: Kind }> => state.kind === kind)
        const state = found[times - 1]
        if (state === undefined) throw new Error(`only ${found.length} times ${kind}: ${JSON.stringify(states)}`)
        return state
      }),
  }
}
