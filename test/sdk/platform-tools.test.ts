/**
 * The platform's own tools, unmodified: `rp` and the package of SDK 2.0 deploy an app to this service, call it by name,
 * look at it and take it away.
 */
import { execFile, type PromiseWithChild } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { platformVariables } from '../../src-main/domain/platform/variables.ts'
import { findCertificates } from '../../src-main/server/certificates.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicApps } from './support-python.ts'
import { type Service, startService, until } from './support-service.ts'

const START_FOLDER = fileURLToPath(new URL('../../resources/python/svc_start', import.meta.url))
// Packages come from an index, some forty of them. In ms.
const DEPLOY_LIMIT_MS = 240_000

let tools: PublicPython
beforeAll(async () => {
  tools = await preparePublicApps()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!tools.ready, tools.reason))

const APP = `import runpod

app = runpod.App("shipyard")


@app.queue(name="adder", cpu="cpu3c-1-2")
async def add(a: int, b: int = 1) -> dict:
    return {"sum": a + b, "version": 1}


@app.queue(name="counter", cpu="cpu3c-1-2")
def count(to: int = 3):
    for number in range(to):
        yield {"number": number}
`

const CALLS = `import runpod
from main import add, count

print("remote", add.remote(2, b=3))
job = add.spawn(5)
print("spawn", job.result())
print("stream", [chunk["number"] for chunk in count.stream(to=3)])
print("options", add.with_options(ttl=60_000).remote(1))
`

type Tools = {
  readonly service: Service
  readonly project: string
  /** Runs \`rp\` in the project; gives what it prints. */
  readonly rp: (...args: readonly string[]) => Promise<string>
  readonly startRp: (...args: readonly string[]) => PromiseWithChild<{ stdout: string }>
  readonly script: (code: string) => Promise<string>
  readonly write: (name: string, text: string) => void
}

async function setup(context: TestContext): Promise<Tools> {
  const service = await startService(context)
  const project = join(service.folder, 'shipyard')
  mkdirSync(project)
  const { bundle } = await findCertificates(join(service.folder, 'data'))
  const variables = platformVariables(service.url, service.key, { bundle, pythonPath: START_FOLDER })
  const env = {
    PATH: [dirname(tools.python), process.env.PATH].join(delimiter),
    HOME: service.folder, // the package keeps keys of the platform there
    COLUMNS: '200',
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  }
  const rp = join(dirname(tools.python), 'rp')
  const start = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, [...args], { cwd: project, env, timeout: DEPLOY_LIMIT_MS })
  const run = async (program: string, args: readonly string[]) => (await start(program, args)).stdout
  return {
    service,
    project,
    rp: (...args) => run(rp, args),
    startRp: (...args) => start(rp, args),
    script: (code) => run(tools.python, ['-W', 'ignore', '-c', code]),
    write: (name, text) => writeFileSync(join(project, name), text),
  }
}

test(
  'an app is deployed, called, changed, looked at and taken away by the tools alone',
  async (context) => {
    const { rp, script, write, service } = await setup(context)
    write('main.py', APP)
    expect(await rp('flash', 'deploy')).toContain('is live')
    const calls = `import sys\nsys.path.insert(0, '.')\n${CALLS}`
    expect((await script(calls)).trim().split('\n')).toEqual([
      "remote {'sum': 5, 'version': 1}",
      "spawn {'sum': 6, 'version': 1}",
      'stream [0, 1, 2]',
      "options {'sum': 2, 'version': 1}",
    ])
    write('main.py', APP.replace('"version": 1', '"version": 2'))
    expect(await rp('flash', 'deploy')).toContain('is live')
    expect(await script(calls)).toContain("remote {'sum': 5, 'version': 2}")
    const { releases } = (await service.call('GET', '/api/apps/shipyard/environments/default/releases')) as {
      releases: { number: number; state: string }[]
    }
    expect(releases.map(({ number, state }) => [number, state])).toEqual([
      [2, 'active'],
      [1, 'superseded'],
    ])
    expect(await rp('flash', 'app', 'list')).toContain('shipyard')
    expect(await rp('flash', 'env', 'get', 'default', '--app', 'shipyard')).toContain('adder')
    await rp('flash', 'undeploy', '--app', 'shipyard', '--yes')
    await until('no endpoint is left', async () => {
      const { endpoints } = (await service.call('GET', '/api/endpoints')) as { endpoints: unknown[] }
      return endpoints.length === 0 ? true : undefined
    })
  },
  2 * DEPLOY_LIMIT_MS,
)

const DEV = `${APP}

@runpod.local_entrypoint
def main():
    print("answer", add.remote(20, b=1))
`

test(
  'a development session runs the code of the file, and leaves nothing',
  async (context) => {
    const { rp, write, service } = await setup(context)
    write('main.py', DEV)
    const printed = await rp('flash', 'dev', 'main.py', '--once')
    expect(printed).toContain("answer {'sum': 21, 'version': 1}")
    const { endpoints } = (await service.call('GET', '/api/endpoints')) as { endpoints: unknown[] }
    expect(endpoints).toEqual([])
  },
  DEPLOY_LIMIT_MS,
)

test('secrets are added, listed without their values, and deleted', async (context) => {
  const { rp } = await setup(context)
  expect(await rp('secret', 'add', 'hf-token', '--value', 'not-to-be-seen')).toContain('created')
  const listed = await rp('secret', 'list')
  expect(listed).toContain('hf-token')
  expect(listed).not.toContain('not-to-be-seen')
  expect(await rp('secret', 'delete', 'hf-token', '--yes')).toContain('deleted')
  expect(await rp('secret', 'list')).toContain('no secrets')
})

test('credentials of registries are added, listed and deleted', async (context) => {
  const { rp } = await setup(context)
  await rp('registry', 'add', 'work', '--username', 'ada', '--password', 'not-to-be-seen')
  expect(await rp('registry', 'list')).toContain('work')
  await rp('registry', 'delete', 'work', '--yes')
  expect(await rp('registry', 'list')).toContain('no registry credentials')
})

test('a person allows the program that asks to be signed in, and it stores the key', async (context) => {
  const { startRp, service } = await setup(context)
  const running = startRp('login', '--no-open')
  let printed = ''
  running.child.stdout?.on('data', (text) => {
    printed += text
  })
  const id = await until('the program shows its address', async () => /request=([\w-]+)/.exec(printed)?.[1])
  await service.call('POST', `/api/sign-in-requests/${id}`, { allow: true })
  expect((await running).stdout).toContain('logged in')
  expect(readFileSync(join(service.folder, '.runpod', 'config.toml'), 'utf8')).toContain(service.key)
})

const API = `from runpod import App
from runpod.apps import get, post

app = App("harbour")


@app.api(name="ships", cpu="cpu3c-1-2")
class Ships:
    @get("/ships")
    def all(self):
        return {"ships": ["Ada"]}

    @post("/ships")
    def add(self, body: dict):
        return {"added": body["name"]}
`

const API_CALLS = `import sys
sys.path.insert(0, '.')
from main import Ships

print(Ships.get("/ships"), Ships.post("/ships", {"name": "Bea"}))
`

test(
  'an api is called by its name, over https',
  async (context) => {
    const { rp, script, write } = await setup(context)
    write('main.py', API)
    await rp('flash', 'deploy')
    expect(await script(API_CALLS)).toContain("{'ships': ['Ada']} {'added': 'Bea'}")
  },
  DEPLOY_LIMIT_MS,
)
