/** A real service and an app of `drydock init`; commands run in the folder of the app. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { type Running, startCommand } from '../e2e/support-cli.ts'
import { keepOnly } from '../support/project-folder.ts'
import { type ServedService, startedService } from '../support/served-service.ts'

const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
const execute = promisify(execFile)

export type Ran = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }

/** An app and its service. */
export type AppProject = {
  readonly service: ServedService
  /** Absolute. */
  readonly project: string
  /** Runs a command of the CLI in the app's folder, for this service. */
  readonly run: (...argv: readonly string[]) => Promise<Ran>
  /** Starts one, and does not wait. */
  readonly start: (...argv: readonly string[]) => Running
  /** Deploys; expects that it works and gives the document that it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly deploy: (...argv: readonly string[]) => Promise<any>
  /** Replaces a text in a file of the app. */
  readonly edit: (file: string, from: string, to: string) => void
  readonly write: (file: string, text: string) => void
  /** Removes the other files of the app, because each endpoint costs a worker at every deploy. */
  readonly keepOnly: (...files: readonly string[]) => void
  /** Runs a Python script in the app's folder, as a user does who has the package. */
  readonly python: (code: string, env?: Readonly<Record<string, string>>) => Promise<string>
  /** Asks an endpoint and gives the output of the job. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly runsync: (endpointId: string, input: object) => Promise<any>
}

const noEngine = () => startedService({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } })

/**
 * Makes the app.
 * @param given the service; without it one starts whose workers are processes @param init further arguments of `init`
 * @param env further variables of all commands
 */
export async function appProject(
  given?: ServedService,
  init: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<AppProject> {
  const service = given ?? (await noEngine())
  const project = join(service.folder, 'demo')
  await startCommand(['init', 'demo', ...init], { cwd: service.folder }).ended
  const start = (...argv: readonly string[]) => startCommand([...argv, '--data', service.data], { cwd: project, env })
  const run = (...argv: readonly string[]) => start(...argv).ended
  const write = (file: string, text: string) => writeFileSync(join(project, file), text)
  return {
    service,
    project,
    run,
    start,
    write,
    keepOnly: (...files) => keepOnly(project, files),
    async deploy(...argv) {
      const ran = await run('deploy', '--json', ...argv)
      expect(ran).toMatchObject({ exitCode: 0 })
      return JSON.parse(ran.stdout)
    },
    edit(file, from, to) {
      const text = readFileSync(join(project, file), 'utf8')
      expect(text).toContain(from)
      write(file, text.replace(from, to))
    },
    async python(code, env = {}) {
      const key = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
      const { stdout } = await execute('python3', ['-c', code], {
        cwd: project,
        env: { ...process.env, PYTHONPATH: PYTHON_PACKAGES, SVC_BASE_URL: service.url(), SVC_API_KEY: key, ...env },
      })
      return stdout.trim()
    },
    async runsync(endpointId, input) {
      const job = await service.post(`/v2/${endpointId}/runsync?wait=60000`, { input })
      expect(job).toMatchObject({ status: 'COMPLETED' })
      return job.output
    },
  }
}

/** Ids of the processes of workers, by endpoint. */
export async function workerPids(service: ServedService): Promise<Readonly<Record<string, number>>> {
  const { workers } = await service.get('/api/workers')
  return Object.fromEntries(
    workers.map(({ endpointId, pid }: { endpointId: string; pid: number }) => [endpointId, pid] as const),
  )
}
