/**
 * Apps of SDK 2.0 through our own commands: `drydock init --sdk 2`, deploy, rollback, variables and preview, and the
 * unmodified package that calls what is deployed. Builds leave the package to the workers' Python, which has it here.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { appProject, workerPids } from '../apps/support.ts'
import { previewProject } from '../preview/support.ts'
import { LAUNCHER, startedService, until } from '../support/served-service.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'

const START_FOLDER = fileURLToPath(new URL('../../resources/python/svc_start', import.meta.url))
const OF_WORKERS = ['--exclude', 'runpod,fastapi']
const INIT = ['--sdk', '2']
// A call of a task starts a worker, and the package asks for its result every two seconds. In ms.
const LIMIT_MS = 600_000

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!packages.ready, packages.reason))

/** Workers are processes of the Python that has the package. */
const withPackage = () => ({
  DOCKER_HOST: 'unix:///nowhere/docker.sock',
  PATH: `${dirname(packages.python)}${delimiter}${process.env.PATH ?? ''}`,
})

async function setup() {
  const service = await startedService({ env: withPackage() })
  const app = await appProject(service, INIT)
  const rates = (n: number) => `from main import app


@app.queue(name="rates", cpu="cpu3c-1-2")
def rate(score: int = 1):
    import os

    return {"rate": score * ${n}, "colour": os.environ.get("COLOUR")}
`
  app.write('rates.py', rates(1))
  return { ...app, rates, deploy: (...argv: readonly string[]) => app.deploy(...OF_WORKERS, ...argv) }
}

test(
  'an app of init is deployed under the name of its folder, and each kind answers: function, generator, caller, routes and a task',
  async () => {
    const { service, project, deploy, run, edit, runsync } = await setup()
    const { plan, release, endpoints } = await deploy()
    expect(plan).toMatchObject({ tasks: ['report'], makes: ['app', 'environment'] })
    expect(release).toMatchObject({ app: 'demo', number: 1, state: 'active' })
    expect(endpoints).toMatchObject([
      { resource: 'words', loadBalanced: true, routes: ['POST /count', 'GET /health'] },
      { resource: 'countdown', examples: { countdown: {} } },
      { resource: 'greet', examples: { greet: { name: 'Ada' } } },
      { resource: 'rates' },
      { resource: 'welcome', examples: { welcome: { names: ['Ada', 'Bo'] } } },
    ])
    expect(await runsync('countdown', { start: 1 })).toEqual([{ number: 1 }, { number: 0 }])
    expect(await runsync('welcome', { names: ['Ada', 'Bo'] })).toEqual({ welcome: ['Hello, Ada!', 'Hello, Bo!'] })
    expect(await service.get('/lb/words/health')).toEqual({ status: 'ok' })
    expect(await service.post('/lb/words/count', { text: 'the old lamp' })).toEqual({ words: 2 })
    // The script of the template calls a function and the task, as a user does who has the package.
    const key = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
    const variables = platformVariables(service.url(), key, { bundle: undefined, pythonPath: START_FOLDER })
    const env = {
      PATH: process.env.PATH,
      HOME: service.folder,
      PYTHONDONTWRITEBYTECODE: '1',
      ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    }
    const called = await promisify(execFile)(packages.python, ['-W', 'ignore', 'main.py'], { cwd: project, env })
    expect(called.stdout.trim().split('\n')).toEqual(["{'greeting': 'Hello, Ada!'}", "{'letters': 10}"])
    const { requests } = await service.get('/api/jobs?endpoint=task-report')
    expect(requests).toMatchObject([{ status: 'COMPLETED' }])

    // The name in the source differs from that of the folder, as in a copy of another user's app.
    edit('main.py', 'App("demo"', 'App("other"')
    expect((await deploy()).release).toMatchObject({ app: 'demo', number: 2, state: 'active' })
    expect(await runsync('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
    const built = await run('build', ...OF_WORKERS)
    expect(built.stderr).toMatch(/main\.py:\d+: warning: App\("other"\) is deployed as "demo", .* SVC_APP=other/)
  },
  LIMIT_MS,
)

test(
  'a second deploy restarts only what changed, a rollback takes it back, and a variable reaches the workers',
  async () => {
    const { service, deploy, write, rates, run, runsync } = await setup()
    await deploy()
    const before = await workerPids(service)
    expect((await deploy()).plan.steps.map(({ action }: { action: string }) => action)).toEqual(
      Array(5).fill('unchanged'),
    )
    expect(await workerPids(service)).toEqual(before)
    write('rates.py', rates(2))
    const { plan } = await deploy()
    expect(plan.steps.filter(({ action }: { action: string }) => action !== 'unchanged')).toMatchObject([
      { resource: 'rates', action: 'update', changes: [{ setting: 'code' }] },
    ])
    expect(await runsync('rates', { score: 3 })).toEqual({ rate: 6, colour: null })
    const others = async () => ({ ...(await workerPids(service)), rates: undefined })
    expect(await others()).toEqual({ ...before, rates: undefined })
    expect(await run('rollback')).toMatchObject({ exitCode: 0 })
    expect(await runsync('rates', { score: 3 })).toEqual({ rate: 3, colour: null })
    expect(await run('env', 'set', 'COLOUR=red')).toMatchObject({ exitCode: 0 })
    expect(await runsync('rates', { score: 3 })).toEqual({ rate: 3, colour: 'red' })
  },
  LIMIT_MS,
)

test(
  'a preview of an App prints the line with which its script calls it, functions and tasks, and follows a save',
  async () => {
    const { project, startForPerson, edit } = await previewProject(withPackage(), INIT)
    const preview = startForPerson(...OF_WORKERS)
    const line = await until(() => {
      const found = preview
        .printed()
        .split('\n')
        .find((one) => one.includes('drydock platform run'))
      if (found === undefined) throw new Error(`nothing in ${preview.printed()}${preview.noted()}`)
      return found.trim()
    })
    expect(line).toMatch(/^FLASH_ENVIRONMENT=preview-\w+ drydock platform run --data \S+ -- python main\.py$/)
    const command = `drydock() { "${process.execPath}" "${LAUNCHER}" "$@"; }; ${line}`
    const env = { ...process.env, ...withPackage(), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
    const callAll = async () => {
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: project, env })
      return stdout.trim().split('\n')
    }
    expect(await callAll()).toEqual(["{'greeting': 'Hello, Ada!'}", "{'letters': 10}"])
    edit('main.py', 'Hello, {name}!', 'Good day, {name}!')
    await until(() => expect(preview.printed()).toMatch(/live in .+: main\.py changed/))
    expect(await callAll()).toEqual(["{'greeting': 'Good day, Ada!'}", "{'letters': 10}"])
  },
  LIMIT_MS,
)
