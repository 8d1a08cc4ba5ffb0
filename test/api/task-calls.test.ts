import { describe, expect, it } from 'vitest'
import { settle } from '../support/fake-clock.ts'
import { platformTools } from '../support/platform-tools.ts'
import { readEvents } from '../support/read-events.ts'

const TOKEN = 'a-token-of-the-package'
const REQUEST = { function_name: 'train', function_code: 'def train(n): return n', args: [3] }
const POD = {
  name: 'task-train-0a1b2c3d',
  imageName: 'runpod/task:py3.12-latest',
  ports: '8080/http',
  containerDiskInGb: 10,
  supportPublicIp: true,
  dataCenterIds: ['EU-RO-1'],
  volumeMounts: [],
  instanceId: 'cpu3c-1-2',
  env: [
    { key: 'RUNPOD_TASK_TOKEN', value: TOKEN },
    { key: 'RUNPOD_TASK_PORT', value: '8080' },
    { key: 'MODE', value: 'test' },
  ],
}
const BEGIN = 'mutation ($input: deployCpuPodInput!) { deployCpuPod(input: $input) { id desiredStatus } }'
const BEGIN_GPU =
  'mutation ($input: PodFindAndDeployOnDemandInput) { podFindAndDeployOnDemand(input: $input) { id desiredStatus } }'

async function setup() {
  const tools = await platformTools()
  const { service } = tools
  const begin = async (more: object = {}): Promise<string> =>
    (await tools.read(BEGIN, { input: { ...POD, ...more } })).deployCpuPod.id
  const ask = (id: string, what: string, body?: object, key: string | null = TOKEN) =>
    service.ask(body === undefined ? 'GET' : 'POST', `/tasks/${id}/${what}`, {
      key,
      ...(body === undefined ? {} : { body }),
    })
  const result = async (id: string) => (await ask(id, 'result')).body
  /** The worker of the next call, with the job of it. */
  async function taken() {
    const worker = await service.worker('task-train')
    const job = await worker.take()
    if (job === undefined) throw new Error('there was no job')
    return { worker, job }
  }
  return { ...tools, begin, ask, result, taken }
}

describe('a call of a task', () => {
  it('is a job of its task, with the request as input and the value at the end', async () => {
    const { begin, ask, result, taken, service } = await setup()
    const id = await begin()
    expect(id).toMatch(/^[\w-]{40,}$/)
    expect((await ask(id, 'ping', undefined, null)).status).toBe(200)
    expect(await result(id)).toEqual({ status: 'IDLE' })
    const sent = await ask(id, 'submit', { ...REQUEST, timeout: 20 })
    expect(sent).toMatchObject({ status: 200, body: { timeout: 20 } })
    expect(await result(id)).toEqual({ status: 'RUNNING' })
    expect(await service.get(`/v1/pod/${id}/logs`)).toEqual({ container: [], system: [] })
    const { worker, job } = await taken()
    const { system } = await service.get(`/v1/pod/${id}/logs`)
    expect(system.join('\n')).toContain('worker idle')
    expect(job.input).toEqual({ ...REQUEST, timeout: 20 })
    expect(worker.spec.env).toMatchObject({ MODE: 'test' })
    expect(worker.spec.env).not.toHaveProperty('RUNPOD_TASK_TOKEN')
    await worker.done(job.id, { output: { success: true, json_result: 3, stdout: 'at work\n' } })
    const response = { success: true, json_result: 3, stdout: 'at work\n' }
    expect(await result(id)).toEqual({ status: 'DONE', response })
    expect(await result(id)).toEqual({ status: 'DONE', response })
    expect((await service.request('DELETE', `/v2/pods/${id}`)).status).toBe(204)
    expect(await ask(id, 'result')).toMatchObject({ status: 404, body: { code: 'TASK_NOT_FOUND' } })
    expect(await service.get(`/api/jobs/${job.id}`)).toMatchObject({ status: 'COMPLETED', endpointId: 'task-train' })
  })

  it('has its lines at the address of its pod, from its worker on, until it is over', async () => {
    const { begin, ask, taken, service } = await setup()
    const id = await begin()
    const forgotten = await begin()
    const follow = async (call: string) => readEvents(await service.request('GET', `/v2/pods/${call}/logs`))
    const reader = await follow(id)
    const none = await follow(forgotten)
    await ask(id, 'submit', REQUEST)
    const { worker } = await taken()
    service.fleet().print(worker.id, 'training')
    await settle()
    const lines = (await reader.next()).map(({ data = '' }) => JSON.parse(data).line)
    expect(lines).toContain('training')
    await reader.close()
    await service.request('DELETE', `/v2/pods/${forgotten}`)
    service.fleet().print(worker.id, 'again')
    await service.clock.until(() => none.ended())
    expect(await none.rest()).toEqual([])
  })

  it('has the packages of the system that it asks for in the image of its worker', async () => {
    const { begin, ask, service } = await setup()
    const id = await begin()
    await ask(id, 'submit', { ...REQUEST, system_dependencies: ['jq'] })
    const { container } = await service.get('/api/endpoints/task-train')
    expect(container).toMatchObject({ systemPackages: ['jq'] })
  })

  it('shares the endpoint of its task with the others, which has the newest settings', async () => {
    const { begin, service } = await setup()
    await Promise.all([begin(), begin({ name: 'task-train-ffffffff' })])
    await begin({ env: [...POD.env.slice(0, 2), { key: 'MODE', value: 'other' }] })
    const { endpoints } = await service.get('/api/endpoints')
    expect((await service.get('/v2/serverless/task-train/releases')).releases).toHaveLength(2)
    expect(endpoints).toMatchObject([
      { id: 'task-train', env: { MODE: 'other' }, workersMin: 0, scaler: { type: 'REQUEST_COUNT', value: 1 } },
    ])
  })

  it('that fails gives the error, and one that is sent twice is refused', async () => {
    const { begin, ask, result, taken } = await setup()
    const id = await begin()
    await ask(id, 'submit', { ...REQUEST, timeout: 7.0005 })
    expect(await ask(id, 'submit', REQUEST)).toMatchObject({ status: 409, body: { code: 'TASK_ALREADY_SENT' } })
    const { worker, job } = await taken()
    await worker.done(job.id, { error: 'Traceback (most recent call last):\nValueError: no data' })
    expect(await result(id)).toMatchObject({ status: 'DONE', response: { success: false } })
    expect((await result(id)).response.error).toContain('ValueError: no data')
  })

  it('ends when its time is over, and when its client ends it', async () => {
    const { begin, ask, result, taken, service } = await setup()
    const late = await begin()
    await ask(late, 'submit', REQUEST)
    expect((await ask(late, 'timeout', { timeout: 5 })).body).toMatchObject({ timeout: 5 })
    const { job } = await taken()
    await service.clock.advance(6000)
    expect(await result(late)).toMatchObject({ status: 'DONE', response: { success: false } })
    expect(await service.get(`/api/jobs/${job.id}`)).toMatchObject({ status: 'CANCELLED' })

    const left = await begin()
    await ask(left, 'submit', REQUEST)
    expect((await service.request('DELETE', `/v2/pods/${left}`)).status).toBe(204)
    expect((await service.get('/api/jobs?endpoint=task-train&status=CANCELLED')).requests).toHaveLength(2)
  })

  it('opens with its token alone, and the token opens nothing else', async () => {
    const { begin, ask, service } = await setup()
    const [one, two] = [await begin(), await begin({ env: [{ key: 'RUNPOD_TASK_TOKEN', value: 'another' }] })]
    for (const key of [null, 'wrong', 'another'])
      for (const [what, body] of [
        ['submit', REQUEST],
        ['timeout', { timeout: 1 }],
        ['result', undefined],
      ] as const)
        expect((await ask(one, what, body, key)).status).toBe(401)
    expect((await ask(two, 'result')).status).toBe(401)
    for (const path of ['/api/endpoints', '/v2/task-train/health', '/v2/serverless'])
      expect((await service.ask('GET', path, { key: TOKEN })).status).toBe(401)
    expect((await service.ask('DELETE', `/v2/pods/${one}`, { key: TOKEN })).status).toBe(401)
  })

  it('is begun by the account alone, as one of a task', async () => {
    const { query, refusal, service } = await setup()
    const key = await service.createEndpoint('other')
    const begun = await query(BEGIN, { variables: { input: POD }, key })
    expect(begun.body.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN_KEY' })
    expect(await refusal(BEGIN, { input: { ...POD, env: [] } })).toContain('only those of tasks run on this machine')
  })

  it('asks for cards by the names of their groups', async () => {
    const { read, service } = await setup()
    const { instanceId: _cpu, ...pod } = POD
    const names = ['NVIDIA GeForce RTX 4090', 'NVIDIA L40S']
    await read(BEGIN_GPU, { input: { ...pod, gpuTypeIdList: names, gpuCount: 2 } })
    expect((await service.get('/api/endpoints/task-train')).platform.gpu).toEqual({
      pools: ['ADA_24', 'ADA_48_PRO'],
      count: 2,
    })
  })
})
