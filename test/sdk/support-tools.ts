/**
 * A service and the platform's own tools in one network, which is this machine alone where such a network can be made:
 * everything is installed from a folder there, and what tries to leave is counted.
 */
import { execFile, type PromiseWithChild } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { findCertificates } from '../../src-main/http/server/certificates.ts'
import { loopbackNetwork } from '../support/loopback-network.ts'
import { LAUNCHER, servedService } from '../support/served-service.ts'
import { onlyWheelsOf } from '../support/wheels.ts'
import type { PublicPython } from './support-python.ts'

const START_FOLDER = fileURLToPath(new URL('../../resources/python/svc_start', import.meta.url))
// Asks from where the service is.
const ASK = `
const [url, method, key, body] = JSON.parse(process.argv[1])
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const answer = await fetch(url, { method, headers, body })
console.log(JSON.stringify({ status: answer.status, text: await answer.text() }))
`

/** An app for the tools. */
export const SHIPYARD = `import time

import runpod

app = runpod.App("shipyard")


@app.queue(name="adder", cpu="cpu3c-1-2")
async def add(a: int, b: int = 1) -> dict:
    print(f"adding {a} and {b}")
    return {"sum": a + b, "version": 1}


@app.queue(name="counter", cpu="cpu3c-1-2")
def count(to: int = 3):
    for number in range(to):
        yield {"number": number}


@app.queue(name="sleeper", cpu="cpu3c-1-2")
def wait():
    time.sleep(600)
`

/** Calls it in every way, as a script in its folder; prints a line for each. */
export const SHIPYARD_CALLS = `import sys
sys.path.insert(0, '.')
from main import add, count, wait

print("remote", add.remote(2, b=3))
job = add.spawn(5)
print("spawn", job.result(), job.status())
print("stream", [chunk["number"] for chunk in count.stream(to=3)])
print("options", add.with_options(ttl=60_000).remote(1))
job = wait.spawn()
print("cancel", job.status() in ("IN_QUEUE", "IN_PROGRESS"), job.cancel().status())
`

/** Expected output. */
export const SHIPYARD_ANSWERS = [
  "remote {'sum': 5, 'version': 1}",
  "spawn {'sum': 6, 'version': 1} COMPLETED",
  'stream [0, 1, 2]',
  "options {'sum': 2, 'version': 1}",
  'cancel True CANCELLED',
]

/** An app for the tools whose api is called by a script, and by a worker of its own. */
export const HARBOUR = `from runpod import App
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


@app.queue(name="crew", cpu="cpu3c-1-2")
def board(name: str):
    return [Ships.get("/ships"), Ships.post("/ships", {"name": name})]
`

/** Calls both, as a script in its folder. */
export const HARBOUR_CALLS = `import sys
sys.path.insert(0, '.')
from main import Ships, board

print(Ships.get("/ships"), Ships.post("/ships", {"name": "Bea"}), board.remote("Cid"))
`

/** Expected output. */
export const HARBOUR_ANSWERS = "{'ships': ['Ada']} {'added': 'Bea'} [{'ships': ['Ada']}, {'added': 'Cid'}]"

/**
 * How long a deploy may take, of forty packages that the platform's own command installs and packs: a minute of the
 * processor, which has much else to do. In ms.
 */
export const DEPLOY_LIMIT_MS = 480_000

/** The tools, in a project of their own. */
export type Tools = {
  /** A folder of this test; the home of the tools. */
  readonly folder: string
  readonly key: string
  /** Asks the service with the account key. @throws on an answer that is not 200 */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<unknown>
  /** Runs `rp` in the project; gives what it prints. */
  readonly rp: (...args: readonly string[]) => Promise<string>
  readonly startRp: (...args: readonly string[]) => PromiseWithChild<{ stdout: string }>
  /** Runs a command of ours in another project, which has these files; gives what it prints. */
  readonly drydock: (
    project: string,
    files: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => Promise<string>
  /** Runs Python code in the project; gives what it prints. */
  readonly script: (code: string) => Promise<string>
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => string
  /** Packets that tried to leave the machine; undefined: nothing counts them here. */
  readonly leftPackets: () => Promise<number | undefined>
  /** A command line in the same network. */
  readonly inside: (program: string, ...args: readonly string[]) => Promise<string>
  /** Why there is no such network. */
  readonly open: string | undefined
}

/**
 * Starts a service, and prepares a project for the tools. Both end with the test.
 * @param python has the package
 * @param wheels folder of all that is installed
 * @param dockerHost an engine, where workers are to be containers: these have networks of their own
 */
export async function startTools(python: PublicPython, wheels: string, dockerHost?: string): Promise<Tools> {
  const service = servedService()
  const network =
    dockerHost === undefined ? await loopbackNetwork(service.folder) : { why: 'containers have networks of their own' }
  const open = 'why' in network ? network.why : undefined
  const through = 'why' in network ? undefined : network.enter
  const packages = through === undefined && dockerHost === undefined ? {} : onlyWheelsOf(wheels)
  await service.start({
    // The worker image installs its packages as the machine is set up to.
    env: { ...(dockerHost === undefined ? packages : {}), DOCKER_HOST: dockerHost ?? 'unix:///nowhere/docker.sock' },
    ...(through === undefined ? {} : { through }),
  })

  const project = join(service.folder, 'shipyard')
  mkdirSync(project)
  const key = service.read('data', 'account.key').trim()
  const { bundle } = await findCertificates(service.data)
  const variables = platformVariables(service.url(), key, { bundle, pythonPath: START_FOLDER })
  const env = {
    PATH: [dirname(python.python), process.env.PATH].join(delimiter),
    HOME: service.folder, // the package keeps keys of the platform there
    COLUMNS: '200',
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    PIP_NO_COMPILE: '0', // Pip reads it as the value of `compile`. Workers compile the modules that they import.
    ...packages,
    ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  }
  const start = (program: string, args: readonly string[], cwd = project) => {
    const [file = program, ...rest] = [...(through === undefined ? [] : [through]), program, ...args]
    return promisify(execFile)(file, rest, { cwd, env, timeout: DEPLOY_LIMIT_MS })
  }
  const inside = async (program: string, ...args: readonly string[]) => (await start(program, args)).stdout
  const rp = join(dirname(python.python), 'rp')
  return {
    folder: service.folder,
    key,
    async ask(method, path, body) {
      const asked = JSON.stringify([`${service.url()}${path}`, method, key, body && JSON.stringify(body)])
      const answer = JSON.parse(await inside(process.execPath, '--input-type=module', '-e', ASK, asked))
      if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
      return JSON.parse(answer.text)
    },
    rp: (...args) => inside(rp, ...args),
    async drydock(name, files, ...args) {
      const folder = join(service.folder, name)
      mkdirSync(folder)
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
      const line = [LAUNCHER, ...args, '--data', service.data]
      return (await start(process.execPath, line, folder)).stdout
    },
    startRp: (...args) => start(rp, args),
    script: (code) => inside(python.python, '-W', 'ignore', '-c', code),
    write: (name, text) => writeFileSync(join(project, name), text),
    read: (name) => readFileSync(join(project, name), 'utf8'),
    leftPackets: async () => ('why' in network ? undefined : await network.leftPackets()),
    inside,
    open,
  }
}
