/**
 * The platform's own tools, unmodified: `rp` and the package of SDK 2.0 begin an app, develop it, deploy it to this
 * service, call it by name, run its schedules, look at it and take it away. Where a network of loopback alone can be made all of it is in
 * one, and nothing tries to leave.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, prepareLightWheels, preparePublicApps } from './support-python.ts'
import { until } from './support-service.ts'
import {
  DEPLOY_LIMIT_MS,
  HARBOUR,
  HARBOUR_ANSWERS,
  HARBOUR_CALLS,
  SHIPYARD,
  SHIPYARD_ANSWERS,
  SHIPYARD_CALLS,
  startTools,
  type Tools,
} from './support-tools.ts'

let tools: Awaited<ReturnType<typeof preparePublicApps>>
let wheels: Awaited<ReturnType<typeof prepareLightWheels>>
beforeAll(async () => {
  tools = await preparePublicApps()
  wheels = await prepareLightWheels(tools)
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!wheels.ready, wheels.reason))

const setup = () => startTools(tools, wheels.folder)
// Where nothing counts they are not known; the first test says why.
const NONE = expect.toBeOneOf([0, undefined])

async function endpointsOf(ask: Tools['ask']): Promise<readonly unknown[]> {
  return ((await ask('GET', '/api/endpoints')) as { endpoints: unknown[] }).endpoints
}

test('traffic that tries to leave the machine is counted: a packet, a DNS query', async ({ skip }) => {
  const { inside, leftPackets, open } = await setup()
  skip(open !== undefined, open ?? '')
  expect(await leftPackets()).toBe(0)
  const send = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('198.51.100.1', 9))"
  await inside('python3', '-c', send)
  expect(await leftPackets()).toBe(1)
  await inside('python3', '-c', "import socket\ntry: socket.gethostbyname('pypi.org')\nexcept OSError: pass")
  expect(await leftPackets()).toBeGreaterThan(1)
})

const OLDER = `from runpod_flash import Endpoint


@Endpoint(name="adder", cpu="cpu3c-1-2")
async def add(a: int, b: int = 1) -> dict:
    return {"older": a + b}
`

const SCHEDULED = `
import os


@runpod.schedule(cron="0 3 * * *")
@app.queue(name="report", cpu="cpu3c-1-2")
def report(day="today"):
    return {"report": day, "private": os.path.exists("private.txt")}


@app.task(name="train", cpu="cpu3c-1-2")
@runpod.schedule(cron="30 3 * * *")
def train():
    return {"trained": os.path.exists("kept.txt")}
`
// The package's switch for schedules is a constant.
const DEPLOY_WITH_SCHEDULES = `import sys

import runpod.apps.deploy
from runpod.rp_cli.main import run

runpod.apps.deploy.SCHEDULES_ENABLED = True
sys.argv = ["rp", "flash", "deploy"]
run()
`
const CALL_ADD = "import sys\nsys.path.insert(0, '.')\nfrom main import add\nprint(add.remote(2, b=3))"

type Schedule = { readonly id: string; readonly endpointId: string; readonly cron: string; readonly timeZone: string }

/** Runs all schedules now, and waits for their outputs. */
async function outputsOfSchedules(ask: Tools['ask'], schedules: readonly Schedule[]): Promise<readonly unknown[]> {
  const runs = schedules.map(async ({ endpointId, id }) => {
    const { jobId } = (await ask('POST', `/api/endpoints/${endpointId}/schedules/${id}/run`)) as { jobId: string }
    return until(`the run of ${endpointId} is over`, async () => {
      const job = (await ask('GET', `/v2/${endpointId}/status/${jobId}`)) as { status: string; output: unknown }
      return job.status === 'COMPLETED' ? job.output : undefined
    })
  })
  return Promise.all(runs)
}

test(
  'an app is deployed, called, changed, run by its schedules, looked at and taken away by the tools alone, next to an older one',
  async () => {
    const { rp, drydock, script, write, ask, leftPackets } = await setup()
    write('main.py', SHIPYARD)
    expect(await rp('flash', 'deploy')).toContain('is live')
    expect((await script(SHIPYARD_CALLS)).trim().split('\n')).toEqual(SHIPYARD_ANSWERS)

    const deployed = JSON.parse(await drydock('quayside', { 'worker.py': OLDER }, 'deploy', '--json'))
    expect(deployed.release).toMatchObject({ state: 'active' })
    const { endpoints } = (await ask('GET', '/api/apps/quayside/environments/production')) as {
      endpoints: { id: string }[]
    }
    const callOlder = async () => await ask('POST', `/v2/${endpoints[0]?.id}/runsync`, { input: { a: 2, b: 3 } })
    // Each app has its own function of the same name.
    expect(await callOlder()).toMatchObject({ output: { older: 5 } })
    expect(await script(CALL_ADD)).toContain("{'sum': 5, 'version': 1}")

    write('main.py', `${SHIPYARD.replace('"version": 1', '"version": 2')}${SCHEDULED}`)
    write('.runpodignore', 'private.txt\n')
    write('private.txt', '')
    write('kept.txt', '')
    await ask('PATCH', '/api/settings', { appSchedules: true })
    expect(await script(DEPLOY_WITH_SCHEDULES)).toContain('is live')
    expect(await script(CALL_ADD)).toContain("{'sum': 5, 'version': 2}")
    const { workers } = (await ask('GET', '/api/workers?endpoint=adder')) as { workers: { id: string }[] }
    const lines = await Promise.all(workers.map(({ id }) => rp('logs', id, '--type', 'container')))
    expect(lines.join('\n')).toMatch(/^\[container\] .* adding 2 and 3$/m)
    const schedules = await until('both schedules are there', async () => {
      const found = ((await ask('GET', '/api/schedules')) as { schedules: readonly Schedule[] }).schedules
      return found.length === 2 ? found : undefined
    })
    expect(schedules.map(({ endpointId, cron, timeZone }) => [endpointId, cron, timeZone]).sort()).toEqual([
      ['report', '0 3 * * *', 'UTC'],
      ['train', '30 3 * * *', 'UTC'],
    ])
    const outputs = await outputsOfSchedules(ask, schedules)
    expect(outputs).toEqual(expect.arrayContaining([{ report: 'today', private: false }, { trained: true }]))
    const { releases } = (await ask('GET', '/api/apps/shipyard/environments/default/releases')) as {
      releases: { number: number; state: string }[]
    }
    expect(releases.map(({ number, state }) => [number, state])).toEqual([
      [2, 'active'],
      [1, 'superseded'],
    ])

    expect(await rp('flash', 'app', 'list')).toContain('shipyard')
    await rp('flash', 'env', 'add', 'trial', '--app', 'shipyard')
    expect(await rp('flash', 'env', 'list', '--app', 'shipyard')).toMatch(/default.*trial/s)
    await rp('flash', 'env', 'delete', 'trial', '--app', 'shipyard', '--yes')
    expect(await rp('flash', 'env', 'list', '--app', 'shipyard')).not.toContain('trial')
    expect(await rp('flash', 'env', 'get', 'default', '--app', 'shipyard')).toContain('adder')

    await rp('flash', 'undeploy', '--app', 'shipyard', '--yes')
    await until('only the older one is left', async () => ((await endpointsOf(ask)).length === 1 ? true : undefined))
    expect(await callOlder()).toMatchObject({ output: { older: 5 } })
    expect(await leftPackets()).toEqual(NONE)
  },
  2 * DEPLOY_LIMIT_MS,
)

test(
  'a project is begun, developed, and run again after an edit; the session leaves nothing',
  async () => {
    const { rp, startRp, read, write, ask, leftPackets } = await setup()
    expect(await rp('flash', 'init')).toContain('initialized')
    const running = startRp('flash', 'dev', 'main.py')
    let printed = ''
    running.child.stdout?.on('data', (text) => {
      printed += text
    })
    const prints = (words: string) =>
      until(`the session prints ${words}`, async () => printed.includes(words) || undefined, DEPLOY_LIMIT_MS)
    await prints('hello world!')
    expect(await endpointsOf(ask)).toHaveLength(1)
    write('main.py', read('main.py').replace('return f"hello', 'return f"good morning'))
    await prints('good morning world!')
    running.child.kill('SIGINT')
    await running
    expect(await endpointsOf(ask)).toEqual([])
    expect(await leftPackets()).toEqual(NONE)
  },
  DEPLOY_LIMIT_MS,
)

test(
  'an api is called by its name over https, by a script and by a worker of its app',
  async () => {
    const { rp, script, write, leftPackets } = await setup()
    write('main.py', HARBOUR)
    await rp('flash', 'deploy')
    expect(await script(HARBOUR_CALLS)).toContain(HARBOUR_ANSWERS)
    expect(await leftPackets()).toEqual(NONE)
  },
  DEPLOY_LIMIT_MS,
)

test('a user approves a sign-in; secrets and registry credentials are added, listed without their values, and deleted', async () => {
  const { rp, startRp, ask, folder, key, leftPackets } = await setup()
  const running = startRp('login', '--no-open')
  let printed = ''
  running.child.stdout?.on('data', (text) => {
    printed += text
  })
  const id = await until('the program shows its address', async () => /request=([\w-]+)/.exec(printed)?.[1])
  await ask('POST', `/api/sign-in-requests/${id}`, { allow: true })
  expect((await running).stdout).toContain('logged in')
  expect(readFileSync(join(folder, '.runpod', 'config.toml'), 'utf8')).toContain(key)

  expect(await rp('secret', 'add', 'hf-token', '--value', 'not-to-be-seen')).toContain('created')
  const listed = await rp('secret', 'list')
  expect(listed).toContain('hf-token')
  expect(listed).not.toContain('not-to-be-seen')
  expect(await rp('secret', 'delete', 'hf-token', '--yes')).toContain('deleted')
  expect(await rp('secret', 'list')).toContain('no secrets')

  await rp('registry', 'add', 'work', '--username', 'ada', '--password', 'not-to-be-seen')
  expect(await rp('registry', 'list')).toContain('work')
  await rp('registry', 'delete', 'work', '--yes')
  expect(await rp('registry', 'list')).toContain('no registry credentials')
  expect(await leftPackets()).toEqual(NONE)
})
