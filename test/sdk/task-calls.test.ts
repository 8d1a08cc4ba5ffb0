/**
 * Tasks of the package runpod 2.0, unmodified: each call runs on a worker of its own, as a job of this service. Where a
 * network of loopback alone can be made all of it is in one, and nothing tries to leave.
 */
import { beforeAll, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, prepareLightWheels, preparePublicApps } from './support-python.ts'
import { startTools } from './support-tools.ts'

// The package asks for results every two seconds, and each call has a worker of its own. In ms.
const LIMIT_MS = 600_000

let packages: Awaited<ReturnType<typeof preparePublicApps>>
let wheels: Awaited<ReturnType<typeof prepareLightWheels>>
beforeAll(async () => {
  packages = await preparePublicApps()
  wheels = await prepareLightWheels(packages)
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
  async ({ skip }) => {
    skip(!wheels.ready, wheels.reason)
    const { write, inside, ask, leftPackets } = await startTools(packages, wheels.folder)
    write('shop.py', SHOP)
    const printed = await inside(packages.python, '-W', 'ignore', 'shop.py')
    expect(printed.trim().split('\n')).toEqual([
      "remote {'points': [1, 1, 1], 'mode': 'test', 'token': None}",
      "spawn {'points': [2], 'mode': 'test', 'token': None}",
      'read from another worker',
      'broken ValueError: no data',
    ])
    const { requests } = (await ask('GET', '/api/jobs?endpoint=task-train')) as { requests: { status: string }[] }
    expect(requests.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED'])
    const { lines } = (await ask('GET', '/api/endpoints/task-train/logs')) as { lines: { line: string }[] }
    expect(lines.filter(({ line }) => line === 'training')).toHaveLength(2)
    // Where nothing counts they are not known.
    expect(await leftPackets()).toBeOneOf([0, undefined])
  },
  LIMIT_MS,
)
