/**
 * Faults that were planted, and an agent with fixed decisions that has to find them in at most five calls. That of
 * memory needs an engine: test/docker/agent.test.ts.
 */
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { mount } from '../safety/fill-the-disk.ts'
import { type ServedService, servedService, startedService, until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'
import { type Cause, type Complaint, findCause } from './scripted-agent.ts'
import { type Agent, stdioAgent } from './support-agent.ts'

const CALLS_MAX = 5
const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))

async function finds(agent: Agent, complaint: Complaint, cause: Cause, evidence: RegExp): Promise<void> {
  const found = await findCause(agent, complaint)
  expect(found.cause, JSON.stringify(found)).toBe(cause)
  expect(found.evidence).toMatch(evidence)
  expect(found.calls.length).toBeLessThanOrEqual(CALLS_MAX)
}

const shared = sharedService()

/** The shared service, with an endpoint for each test, and an agent. */
async function withAgent(): Promise<{ readonly service: ServedService; readonly agent: Agent }> {
  const service = await shared()
  return { service, agent: await stdioAgent(service) }
}

test('a crash at import', async () => {
  const { service, agent } = await withAgent()
  await service.createHandler('crashes', 'import not_installed_anywhere\n\ndef handler(job):\n    return 1\n')
  const jobId = await service.run('crashes', {})
  await until(async () => expect(await service.get('/api/endpoints/crashes')).toMatchObject({ state: 'crashing' }))
  await finds(agent, { jobId }, 'crash at import', /No module named 'not_installed_anywhere'/)
  await finds(agent, { endpointId: 'crashes' }, 'crash at import', /No module named 'not_installed_anywhere'/)
})

const MODEL = { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'gone.safetensors' } }
const GRAPH = {
  1: MODEL,
  2: { class_type: 'CLIPTextEncode', inputs: { text: 'a cat', clip: ['1', 1] } },
  3: { class_type: 'EmptyLatentImage', inputs: { width: 64, height: 64, batch_size: 1 } },
  4: {
    class_type: 'KSampler',
    inputs: {
      ...{ model: ['1', 0], positive: ['2', 0], negative: ['2', 0], latent_image: ['3', 0] },
      ...{ seed: 1, steps: 1, cfg: 7, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
    },
  },
  5: { class_type: 'VAEDecode', inputs: { samples: ['4', 0], vae: ['1', 2] } },
  6: { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'cat' } },
}

test('a wrong model name, and a class that is missing', async () => {
  const { service, agent } = await withAgent()
  await service.createEndpoint('draw', { handler: SKETCH, workflows: { models: ['there.safetensors'] } })
  const wrongModel = { graph: JSON.stringify(GRAPH), endpointId: 'draw' }
  await finds(
    agent,
    wrongModel,
    'wrong model name',
    /gone\.safetensors.*draw does not have\. It has there\.safetensors/,
  )

  const known = { ...GRAPH, 1: { ...MODEL, inputs: { ckpt_name: 'there.safetensors' } } }
  const graph = JSON.stringify({ ...known, 5: { class_type: 'FancyDecode', inputs: { samples: ['4', 0] } } })
  await finds(agent, { graph, endpointId: 'draw' }, 'missing class', /FancyDecode/)
})

test('a slow cold start, while it lasts and after it', async () => {
  const { service, agent } = await withAgent()
  const gate = service.gate('ready')
  const code = `import os, time\nwhile not os.path.exists(${JSON.stringify(gate)}):\n    time.sleep(0.01)\n\ndef handler(job):\n    return 1\n`
  await service.createHandler('cold', code)
  const jobId = await service.run('cold', {})
  await until(async () =>
    expect((await service.get(`/api/jobs/${jobId}`)).waitingReason).toMatch(/A worker is starting, for [2-9]/),
  )
  await finds(agent, { jobId }, 'slow cold start', /is starting, for \d+ s/)
  service.openGate('ready')
  await service.jobEnd('cold', jobId)
  await finds(agent, { jobId }, 'slow cold start', /were the cold start of its worker/)
})

test('a full queue, and a ttl that is too short', async () => {
  const { service, agent } = await withAgent()
  await service.createEndpoint('full', { workersMax: 1 })
  const gates = [service.gate('go')]
  const first = await service.run('full', { gates })
  await until(async () => expect(await service.get(`/api/jobs/${first}`)).toMatchObject({ status: 'IN_PROGRESS' }))
  await service.run('full', {})
  const last = await service.run('full', {})
  await finds(agent, { jobId: last }, 'full queue', /, with 1 job ahead of it\. The only worker is busy/)
  await finds(agent, { endpointId: 'full' }, 'full queue', /2 jobs wait for 1 place \(workersMax 1, concurrency 1\)/)

  const short = { input: {}, policy: { ttl: 10_000 } }
  const jobId = (await service.post('/v2/full/run', short)).id
  expect(await service.jobEnd('full', jobId)).toMatchObject({ status: 'TIMED_OUT' })
  await finds(agent, { jobId }, 'ttl too short', /its ttl of 10000 ms passed/)
})

test('a webhook that is refused', async () => {
  const { service, agent } = await withAgent()
  await service.createHandler('hooks', 'def handler(job):\n    return 1\n')
  await service.ask('PATCH', '/api/settings', { webhooksToPrivateAddresses: true })
  const target = createServer((_request, response) => response.writeHead(403).end('no'))
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void target.close())
  const webhook = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`
  const jobId = (await service.post('/v2/hooks/run', { input: {}, webhook })).id
  await until(async () => {
    const [delivery] = (await service.get(`/api/jobs/${jobId}`)).deliveries
    expect(delivery).toMatchObject({ lastStatus: 403 })
  })
  await finds(agent, { jobId }, 'webhook refused', /the target answered 403/)
})

test('a wrong key', async () => {
  const service = await startedService()
  await service.createHandler('work', 'def handler(job):\n    return 1\n')
  const agent = await stdioAgent(service, { args: ['--key', `dk_${'x'.repeat(43)}`] })
  await finds(agent, { endpointId: 'work' }, 'wrong key', /UNAUTHORIZED/)
})

test('a disk that is nearly full', async ({ skip }) => {
  const service = servedService()
  mkdirSync(service.data)
  const why = mount(service.data, 'size=60m')
  skip(why !== undefined, why)
  await service.start()
  await service.createHandler('work', 'def handler(job):\n    return 1\n')
  const agent = await stdioAgent(service)
  const jobId = await service.run('work', {})
  await service.jobEnd('work', jobId)
  await finds(agent, { endpointId: 'work' }, 'disk nearly full', /failed\): \d+ MiB\. Free some space/)
})

test('where nothing is wrong it finds nothing', async () => {
  const service = await startedService()
  const agent = await stdioAgent(service)
  await service.createHandler('work', 'def handler(job):\n    return 1\n', { workersMin: 1 })
  await until(async () => expect(await service.get('/api/endpoints/work')).toMatchObject({ state: 'ready' }))
  const jobId = await service.run('work', {})
  await service.jobEnd('work', jobId)
  const found = await findCause(agent, { jobId })
  expect(found).toMatchObject({ cause: undefined, calls: ['job_read', 'why_waiting', 'log_read', 'service_status'] })
})
