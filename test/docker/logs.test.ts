/** Output of containers, by worker and by job. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { INSIDE, sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine('image-runpod')

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = sharedContainerService(engine)

// The child's line goes past Python, and belongs to the job that runs when it arrives.
const HANDLER = `
import os, sys, time

print("import of the handler", flush=True)

def handler(job):
    n = job["input"]["n"]
    print(f"print {n}", flush=True)
    print(f"\\x1b[31mred {n}\\x1b[0m", file=sys.stderr, flush=True)
    os.system(f"echo child {n}")
    while not os.path.exists(job["input"]["gate"]):
        time.sleep(0.01)
    return n
`

type Line = { readonly line: string; readonly jobId?: string; readonly level: string }

test('lines of svc_worker and of what it starts belong to their job, with stderr and colours, and to their worker', async () => {
  const service = await setup()
  await service.createContainerHandler('work', HANDLER, { workersMin: 1, workersMax: 1 }, { prepared: 0 })
  const workerIds = new Set<string>()
  const own = (n: number) => [`print ${n}`, `\u001b[31mred ${n}\u001b[0m`, `child ${n}`]
  const linesOf = async (path: string): Promise<readonly Line[]> => (await service.get(`${path}/logs`)).lines
  for (const n of [1, 2]) {
    const id = await service.run('work', { n, gate: service.gateInside(`go-${n}`) })
    await until(async () => {
      const printed = (await linesOf(`/api/jobs/${id}`)).map(({ line }) => line)
      expect(printed.filter((line) => /print|red|child/.test(line)).toSorted()).toEqual(own(n).toSorted())
    })
    service.openGate(`go-${n}`)
    workerIds.add((await service.jobEnd('work', id)).workerId)
  }
  const [workerId] = workerIds
  const ofWorker = (await linesOf(`/api/workers/${workerId}`)).map(({ line }) => line)
  expect(ofWorker).toEqual(expect.arrayContaining(['import of the handler', ...own(1), ...own(2)]))
})

// Ends when the test has seen its lines: a busy engine may note a line later than the service hears of the end.
const PUBLIC = `
import os, time
import runpod

def handler(job):
    n = job["input"]["n"]
    print("plain", n, flush=True)
    runpod.RunPodLogger().warn("with its id", job["id"])
    while not os.path.exists(f"${INSIDE}/seen-{n}"):
        time.sleep(0.005)
    return n

runpod.serverless.start({"handler": handler})
`

test('plain lines of the public SDK belong to the job that ran when they were written', async () => {
  const service = await setup()
  writeFileSync(join(service.folder, 'public.py'), PUBLIC)
  await service.createEndpoint('sdk', {
    handler: undefined,
    workersMax: 1,
    container: {
      image: 'drydock-test/runpod-worker',
      args: ['python3', `${INSIDE}/public.py`],
      volumes: [{ source: service.folder, target: INSIDE, readOnly: true }],
      prepared: 0,
    },
  })
  const ids: string[] = []
  for (const n of [1, 2, 3]) ids.push(await service.run('sdk', { n }))
  const expectLines = (id: string, n: number) =>
    until(async () => {
      const lines: readonly Line[] = (await service.get(`/api/jobs/${id}/logs`)).lines
      expect(lines.filter(({ line }) => line.startsWith('plain')).map(({ line }) => line)).toEqual([`plain ${n}`])
      expect(lines).toContainEqual(expect.objectContaining({ level: 'WARN', line: 'with its id' }))
    })
  for (const [at, id] of ids.entries()) {
    await expectLines(id, at + 1)
    service.openGate(`seen-${at + 1}`)
    expect(await service.jobEnd('sdk', id)).toMatchObject({ status: 'COMPLETED' })
  }
  for (const [at, id] of ids.entries()) await expectLines(id, at + 1)
})
