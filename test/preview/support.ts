/** The app of `drydock init` and previews of it: the real command as a process of its own, real workers. */

import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Ended, startCommand, temporaryFolder } from '../e2e/support-cli.ts'
import { pressCtrlC, processesMarked, type SeenProcess, signal } from '../support/process-table.ts'
import { keepOnly } from '../support/project-folder.ts'
import { until } from '../support/served-service.ts'

// To go live a preview installs packages, makes an image and starts a worker of each endpoint, which imports all of that:
// on two cores with others at work that takes minutes. A release that hangs fails by itself, with its reason. In ms.
const LIVE_MS = 240_000

/** A line of a preview with --json. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
export type Told = { readonly event: string; readonly [name: string]: any }

/** A command that runs. */
type StartedPreview = {
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
  /** Living processes that it started. */
  readonly processes: () => readonly SeenProcess[]
}

/** A preview that tells its events. */
export type RunningPreview = StartedPreview & {
  /** Interrupts all processes of its group, as a terminal does. */
  readonly pressCtrlC: () => void
  /** All that it told so far. */
  readonly told: () => readonly Told[]
  /** Waits until it told of so many events of this name, and gives the last of them. */
  readonly event: (name: string, count?: number) => Promise<Told>
  /** Asks its service with its key. */
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly body: Told }>
  /** Runs a job and gives its output; expects that it works. */
  readonly output: (endpointId: string, input?: object) => Promise<unknown>
}

/** A folder with the app, where previews can be started. */
export type PreviewProject = {
  readonly project: string
  /** The data folder of the user. */
  readonly data: string
  readonly write: (file: string, text: string) => void
  /** Replaces a text in a file of the app. */
  readonly edit: (file: string, from: string, to: string) => void
  readonly remove: (file: string) => void
  /** Removes the other files of the app, because each endpoint costs a worker at every save. */
  readonly keepOnly: (...files: readonly string[]) => void
  /** Starts a preview; further arguments and variables are those of the command. */
  readonly start: (options?: {
    readonly args?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  }) => RunningPreview
  /** The same for a person: `printed` is its stdout so far, `noted` its stderr. */
  readonly startForPerson: (
    ...args: readonly string[]
  ) => StartedPreview & { readonly printed: () => string; readonly noted: () => string }
  /** Names of the folders that previews have now. */
  readonly folders: () => readonly string[]
}

/** A worker that answers once a file exists; `text` identifies its code. */
export const gatedWorker = (text: string) => `import os
import time

from svc import Endpoint


@Endpoint(name="gated", cpu="cpu3c-1-2")
def gated(gate=None):
    while gate is not None and not os.path.exists(gate):
        time.sleep(0.01)
    return "${text}"
`

/**
 * Makes the app.
 * @param env variables of all commands; without it workers are processes, wherever the test runs
 * @param init further arguments of `init`
 */
export async function previewProject(
  env: Readonly<Record<string, string>> = { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  init: readonly string[] = [],
): Promise<PreviewProject> {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const project = join(folder, 'demo')
  const { exitCode } = await startCommand(['init', 'demo', ...init], { cwd: folder }).ended
  expect(exitCode).toBe(0)
  // In one step: whoever watches the project must not find half of a file.
  const write = (file: string, text: string) => {
    const [whole, place] = [join(folder, 'whole'), join(project, file)]
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(whole, text)
    renameSync(whole, place)
  }

  function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const mark = { name: 'DOCK_TEST_MARK', value: randomUUID() }
    const processes = () => processesMarked(`${mark.name}=${mark.value}`)
    // After the command was ended: whatever it left goes too.
    onTestFinished(async () => {
      for (const { pid } of processes()) signal(pid, 'SIGKILL')
      await until(() => expect(processes()).toEqual([]))
    })
    const started = startCommand(['deploy', '--preview', '--port', '0', '--data', data, ...args], {
      cwd: project,
      env: { ...env, ...more, [mark.name]: mark.value },
    })
    return { child: started.child, nextLine: started.nextLine, ended: started.ended, processes }
  }

  function start({ args = [], env: more }: Parameters<PreviewProject['start']>[0] = {}): RunningPreview {
    const { child, ended, nextLine, processes } = run(['--json', ...args], more)
    const told: Told[] = []
    void (async () => {
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) told.push(JSON.parse(line))
    })()
    const find = (name: string, count: number, stderr = '') => {
      const found = told.filter((one) => one.event === name)
      const last = found[count - 1]
      if (last === undefined)
        throw new Error(`${found.length} of ${count} "${name}" in ${JSON.stringify(told)} ${stderr}`)
      return last
    }
    const event = (name: string, count = 1) =>
      Promise.race([
        until(() => find(name, count), name === 'live' ? LIVE_MS : undefined),
        ended.then(({ stderr }) => find(name, count, stderr)), // it tells nothing more
      ])
    const ask: RunningPreview['ask'] = async (method, path, body) => {
      const { url, keyFile } = await event('up')
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Told }
    }
    return {
      told: () => told,
      event,
      ask,
      async output(endpointId, input = {}) {
        const { body } = await ask('POST', `/v2/${endpointId}/runsync?wait=60000`, { input })
        expect(body).toMatchObject({ status: 'COMPLETED' })
        return body.output
      },
      signal: (name) => void child.kill(name),
      pressCtrlC: () => pressCtrlC(child.pid, processes()),
      ended,
      processes,
    }
  }

  return {
    project,
    data,
    write,
    edit(file, from, to) {
      const text = readFileSync(join(project, file), 'utf8')
      expect(text).toContain(from)
      write(file, text.replace(from, to))
    },
    remove: (file) => rmSync(join(project, file), { recursive: true }),
    keepOnly: (...files) => keepOnly(project, files),
    start,
    startForPerson(...args) {
      const { child, ended, processes } = run(args)
      let printed = ''
      let noted = ''
      child.stdout?.on('data', (text: string) => {
        printed += text
      })
      child.stderr?.on('data', (text: string) => {
        noted += text
      })
      return { printed: () => printed, noted: () => noted, signal: (name) => void child.kill(name), ended, processes }
    },
    folders() {
      try {
        return readdirSync(join(data, 'previews'))
      } catch {
        return []
      }
    },
  }
}
