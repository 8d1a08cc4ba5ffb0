/**
 * SDK 2.0 apps that our own build makes, with the unmodified package, on workers in containers: `init --sdk 2`, deploy,
 * calls, rollback. test/sdk/own-build.test.ts tests them as processes, and in a preview; test/docker/preview.test.ts
 * tests previews in containers.
 */
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { appProject } from '../apps/support.ts'
import { PREPARE_LIMIT_MS, prepareBuildWheels, preparePublicApps } from '../sdk/support-python.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { onlyWheelsOf } from '../support/wheels.ts'

const engine = await dockerEngine()
const START_FOLDER = fileURLToPath(new URL('../../resources/python/svc_start', import.meta.url))
const INIT = ['--sdk', '2']
// A build installs some forty packages, and a call of a task starts a container. In ms.
const LIMIT_MS = 600_000

let tools: Awaited<ReturnType<typeof preparePublicApps>>
let wheels: Awaited<ReturnType<typeof prepareBuildWheels>>
beforeAll(async () => {
  tools = await preparePublicApps()
  wheels = await prepareBuildWheels(tools)
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => {
  skip('why' in engine, 'why' in engine ? engine.why : '')
  skip(!wheels.ready, wheels.reason)
  // The engine of the tests has no other image of Python.
  skip(!tools.folder.includes('python3.11'), 'the tools are of another Python than the image')
})

const TALLY = `from main import Words, app


@app.queue(name="tally", cpu="cpu3c-1-2")
def tally(text: str = "an old lamp"):
    return Words.post("/count", {"text": text})
`

test(
  'an app of init answers from containers, each kind of it, and a rollback restores its earlier code',
  async () => {
    const service = await startedContainerService(engine)
    const { project, run, deploy, edit, runsync, write } = await appProject(service, INIT, onlyWheelsOf(wheels.folder))
    write('tally.py', TALLY)
    const { plan, release, endpoints } = await deploy()
    expect(plan).toMatchObject({ tasks: ['report'], makes: ['app', 'environment'] })
    expect(release).toMatchObject({ app: 'demo', number: 1, state: 'active', runsOn: 'containers' })
    expect(endpoints).toMatchObject([
      { resource: 'words', loadBalanced: true },
      { resource: 'countdown' },
      { resource: 'greet' },
      { resource: 'tally' },
      { resource: 'welcome' },
    ])
    expect((await service.containers('svc.app=demo/production')).length).toBeGreaterThanOrEqual(5)
    expect(await runsync('countdown', { start: 1 })).toEqual([{ number: 1 }, { number: 0 }])
    expect(await runsync('welcome', { names: ['Ada', 'Bo'] })).toEqual({ welcome: ['Hello, Ada!', 'Hello, Bo!'] })
    expect(await runsync('tally', {})).toEqual({ words: 2 })
    expect(await service.post('/lb/words/count', { text: 'the old lamp' })).toEqual({ words: 2 })

    // The script of the template calls a function and the task, as a user does who has the package.
    const key = service.read('data', 'account.key').trim()
    const variables = platformVariables(service.url(), key, { bundle: undefined, pythonPath: START_FOLDER })
    const env = {
      PATH: dirname(tools.python),
      HOME: service.folder,
      ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    }
    const called = await promisify(execFile)(tools.python, ['-W', 'ignore', 'main.py'], { cwd: project, env })
    expect(called.stdout.trim().split('\n')).toEqual(["{'greeting': 'Hello, Ada!'}", "{'letters': 10}"])
    const { requests } = await service.get('/api/jobs?endpoint=task-report')
    expect(requests).toMatchObject([{ status: 'COMPLETED' }])

    edit('main.py', 'Hello', 'Good day')
    await deploy()
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Good day, Ada!' })
    expect(await run('rollback')).toMatchObject({ exitCode: 0 })
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  },
  LIMIT_MS,
)
