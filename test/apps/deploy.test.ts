import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { appProject, workerPids } from './support.ts'

type Answered = { readonly ok: boolean; readonly what: string }

test('an app of init is deployed, every endpoint answers at the address that is printed, also from a script, and a second deploy without a change restarts nothing', async () => {
  const { service, project, run, deploy, python, runsync } = await appProject()
  const { exitCode, stdout } = await run('deploy')
  expect(exitCode).toBe(0)
  for (const id of ['greet', 'text-stats', 'countdown', 'welcome'])
    expect(stdout).toContain(`${service.url()}/v2/${id}`)
  expect(stdout).toContain(`${service.url()}/lb/api`)
  expect(stdout).toContain('GET /health')
  expect((await service.get('/api/apps/demo/environments/production')).endpoints).toMatchObject([
    { resource: 'api', examples: { 'POST /shout': { text: 'Hello there' } } },
    { resource: 'countdown' },
    { resource: 'greet', examples: { greet: { name: 'Ada' } } },
    { resource: 'text-stats', examples: { TextStats: { method: 'count', text: 'Hello there' } } },
    { resource: 'welcome', examples: { welcome: { names: ['Ada', 'Bo'] } } },
  ])
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  expect(await runsync('text-stats', { method: 'count', text: 'a bc' })).toEqual({ words: 2, letters: 3 })
  expect(await service.get('/lb/api/health')).toEqual({ status: 'ok' })
  expect(await service.post('/lb/api/shout', { text: 'hi', marks: 2 })).toEqual({ text: 'HI!!' })
  // It calls greet over HTTP, by the state manager, with its own token.
  expect(await runsync('welcome', { names: ['Ada', 'Bo'] })).toEqual({ welcome: ['Hello, Ada!', 'Hello, Bo!'] })
  const jobId = await service.run('countdown', { start: 2 })
  await service.jobEnd('countdown', jobId)
  const { chunks } = await service.get(`/api/jobs/${jobId}/chunks`)
  expect(chunks.map(({ output }: { output: unknown }) => output)).toEqual([{ number: 2 }, { number: 1 }, { number: 0 }])

  const { projects } = await service.get('/api/projects')
  expect(projects).toMatchObject([{ folder: realpathSync(project), app: 'demo', isThere: true }])
  const before = await workerPids(service)
  expect(Object.keys(before).sort()).toEqual(['api', 'countdown', 'greet', 'text-stats', 'welcome'])
  const { plan, release } = await deploy()
  expect(plan.steps.map(({ action }: { action: string }) => action)).toEqual(Array(5).fill('unchanged'))
  expect(release).toMatchObject({ number: 1, state: 'active' })
  expect(await workerPids(service)).toEqual(before)

  const script = `
import asyncio, json
from cpu_worker import greet
from class_worker import TextStats
from stream_worker import countdown
from lb_worker import shout

async def main():
    numbers = [item["number"] async for item in countdown(start=2)]
    print(json.dumps([await greet("Ada"), await TextStats().count("a bc"), numbers, shout("hi")]))

asyncio.run(main())`
  expect(JSON.parse(await python(script))).toEqual([
    { greeting: 'Hello, Ada!' },
    { words: 2, letters: 3 },
    [2, 1, 0],
    { text: 'HI!' },
  ])
})

test('a change of code rolls out under load without one failed request', async () => {
  const { service, deploy, edit, keepOnly } = await appProject()
  keepOnly('cpu_worker.py', 'lb_worker.py')
  await deploy()
  const answered: Answered[] = []
  let going = true
  const asking = async (
    ask: () => Promise<{ readonly status: number; readonly body: { readonly [key: string]: unknown } }>,
  ) => {
    while (going) {
      const { status, body } = await ask()
      answered.push({ ok: status === 200 && (body.status ?? 'COMPLETED') !== 'FAILED', what: JSON.stringify(body) })
    }
  }
  const clients = [
    ...Array.from({ length: 4 }, () =>
      asking(() => service.ask('POST', '/v2/greet/runsync', { input: { name: 'Ada' } })),
    ),
    ...Array.from({ length: 4 }, () => asking(() => service.ask('POST', '/lb/api/shout', { text: 'hi' }))),
  ]
  const seen = (text: string) => answered.some(({ what }) => what.includes(text))
  await until(() => expect(seen('Hello, Ada!') && seen('HI!')).toBe(true))
  edit('cpu_worker.py', 'Hello, {name}!', 'Good day, {name}!')
  edit('lb_worker.py', 'text.upper()', 'text.title()')
  const { release } = await deploy()
  expect(release).toMatchObject({ number: 2, state: 'active' })
  await until(() => expect(seen('Good day, Ada!') && seen('Hi!')).toBe(true))
  going = false
  await Promise.all(clients)
  expect(answered.filter(({ ok }) => !ok)).toEqual([])
})

test('a deploy to a second environment, and one with a package that processes lack, leave the active release alone; plan and error name the line that fixes it', async () => {
  const { service, run, deploy, edit, write, runsync, keepOnly } = await appProject()
  keepOnly('cpu_worker.py')
  await deploy()
  const before = await workerPids(service)
  edit('cpu_worker.py', 'Hello', 'Bye')
  const { endpoints } = await deploy('--env', 'staging')
  const { id } = endpoints.find(({ resource }: { resource: string }) => resource === 'greet')
  expect(await runsync(id, { name: 'Ada' })).toEqual({ greeting: 'Bye, Ada!' })
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  const running = await workerPids(service)
  expect(running).toMatchObject(before)

  edit('cpu_worker.py', 'from svc import Endpoint', 'import not_there_at_all\nfrom svc import Endpoint')
  write('requirements.txt', 'not-there-at-all\n')
  const { exitCode, stderr } = await run('deploy', '--exclude', 'not-there-at-all')
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(
    /warning: Builds leave not-there-at-all to the image, .* lacks it: python3 -m pip install 'not-there-at-all'/,
  )
  expect(stderr).toMatch(
    /greet: ModuleNotFoundError: No module named 'not_there_at_all'\. Builds leave it to images; for a process: \S+ -m pip install not-there-at-all/,
  )
  expect(stderr).toContain('release 1')
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  await until(async () => expect(await workerPids(service)).toEqual(running))
})

test('a variable that is set reaches the workers and stands in no log; an endpoint that left the source is planned, confirmed and deleted', async () => {
  const { service, deploy, run, write, runsync, keepOnly } = await appProject()
  keepOnly('stream_worker.py')
  write('cpu_worker.py', TELLS_TOKEN)
  await deploy()
  expect(await runsync('greet', {})).toEqual({ has: '' })
  expect(await run('env', 'set', 'TOKEN=hunter22')).toMatchObject({ exitCode: 0 })
  expect(await runsync('greet', {})).toEqual({ has: 'hun' })
  const lines = async () =>
    (await service.get('/api/endpoints/greet/logs')).lines.map(({ line }: { line: string }) => line)
  await until(async () => expect(await lines()).toContain('the token is ***'))
  const shown = await run('env', 'show', 'production')
  expect(shown.stdout).toContain('TOKEN')
  expect(shown.stdout).not.toContain('hunter22')

  write('stream_worker.py', '')
  const planned = await run('deploy', '--plan')
  expect(planned).toMatchObject({ exitCode: 0 })
  expect(planned.stdout).toMatch(/- +countdown/)
  const refused = await run('deploy')
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr).toContain('countdown')
  expect(refused.stderr).toContain('--yes')
  expect(await service.ask('GET', '/api/endpoints/countdown')).toMatchObject({ status: 200 })
  await deploy('--yes')
  expect(await service.ask('GET', '/api/endpoints/countdown')).toMatchObject({ status: 404 })
})

const TELLS_TOKEN = `from svc import Endpoint


@Endpoint(name="greet", cpu="cpu3c-1-2")
def greet():
    import os

    print("the token is", os.environ.get("TOKEN"))
    return {"has": os.environ.get("TOKEN", "")[:3]}
`

test('an app with a schedule is refused before anything is built while the setting is off', async () => {
  const { project, run, write, keepOnly } = await appProject(undefined, ['--sdk', '2'])
  keepOnly()
  write('main.py', SCHEDULED_APP)
  const refused = await run('deploy')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(SCHEDULES_REFUSED)])
  expect(refused.stdout).toContain('✓ scan')
  expect(refused.stdout).not.toContain('install')
  expect(existsSync(join(project, '.svc'))).toBe(false)
})

const SCHEDULED_APP = `import runpod

app = runpod.App("demo")


@runpod.schedule(cron="0 3 * * *")
@app.queue(name="report", cpu="cpu3c-1-2")
def report():
    return "done"
`
// In the words of the package runpod 2.0.0rc2.
const SCHEDULES_REFUSED =
  'recurring schedules are not yet supported by the runpod api. the @schedule decorator records intent but cannot be deployed.'
