/** Tasks of the package runpod 2.0, unmodified: each call runs on a worker of its own, as a job of this service. */
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { platformVariables } from '../../src-main/domain/platform/variables.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'
import { startService } from './support-service.ts'

const START_FOLDER = fileURLToPath(new URL('../../resources/python/svc_start', import.meta.url))
// The package asks for results every two seconds, and each call has a worker of its own. In ms.
const LIMIT_MS = 240_000

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

const SHOP = `
import asyncio
import dataclasses
import os
import runpod

app = runpod.App("shop")

@dataclasses.dataclass
class Point:
    x: int

@app.task(cpu="cpu3c-1-2", env={"MODE": "test"})
async def train(point, times=1):
    print("training")
    return {"points": [point.x] * times, "mode": os.environ["MODE"], "token": os.environ.get("RUNPOD_TASK_TOKEN")}

notes = runpod.NetworkVolume("notes", size=10)

@app.task(cpu="cpu3c-1-2", mounts={"/notes": notes})
def write(text):
    (notes.path / "note.txt").write_text(text)

@app.task(cpu="cpu3c-1-2", mounts={"/notes": notes})
def read():
    return (notes.path / "note.txt").read_text()

@app.task(cpu="cpu3c-1-2")
def broken():
    raise ValueError("no data")

if __name__ == "__main__":
    print("remote", train.remote(Point(1), times=3))
    job = train.spawn(Point(2))
    print("spawn", asyncio.run(job.wait(60)))
    write.remote("from another worker")
    print("read", read.remote())
    try:
        broken.remote()
    except Exception as error:
        print("broken", str(error).strip().splitlines()[-1])
`

test(
  'a script calls a task, spawns one, shares a volume between two, and sees why one failed',
  async (context) => {
    if (!packages.ready) context.skip(packages.reason)
    const service = await startService(context)
    // What workers would install at their first start.
    const installed = join(service.folder, 'data', 'packages')
    const [version] = /python3\.\d+/.exec(packages.folder) ?? []
    mkdirSync(installed, { recursive: true })
    symlinkSync(packages.folder, join(installed, `runpod-2-${version}`))
    const script = join(service.folder, 'shop.py')
    writeFileSync(script, SHOP)
    const variables = platformVariables(service.url, service.key, { bundle: undefined, pythonPath: START_FOLDER })
    const env = {
      PATH: process.env.PATH,
      HOME: service.folder,
      PYTHONDONTWRITEBYTECODE: '1',
      ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    }
    const { stdout } = await promisify(execFile)(packages.python, ['-W', 'ignore', script], { env, timeout: LIMIT_MS })
    expect(stdout.trim().split('\n')).toEqual([
      "remote {'points': [1, 1, 1], 'mode': 'test', 'token': None}",
      "spawn {'points': [2], 'mode': 'test', 'token': None}",
      'read from another worker',
      'broken ValueError: no data',
    ])
    const { requests } = (await service.call('GET', '/api/jobs?endpoint=task-train')) as {
      requests: { status: string }[]
    }
    expect(requests.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED'])
    const lines = (await service.logsOfEndpoint('task-train')).map(({ line }) => line)
    expect(lines.filter((line) => line === 'training')).toHaveLength(2)
  },
  LIMIT_MS,
)
