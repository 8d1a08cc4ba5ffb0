/** Machines that were added, and workers that run there; each machine has a fake fleet of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type SetupOptions, setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'

const SSH = { kind: 'ssh', to: 'ada@gpu-box' }
const IMAGE = { image: 'an-image', prepared: 0 }

/** A service with machines of these names. */
async function withMachines(names: readonly string[] = ['gpu-box'], options: SetupOptions = {}) {
  const service = await setup(options)
  for (const name of names) await service.post('/api/machines', { name, way: SSH })
  await settle()
  const endpointOn = (machine: string | undefined, id = 'e', more: object = {}) =>
    service.createEndpoint(id, { container: { ...IMAGE, machine }, ...more })
  const waiting = (reason: RegExp, id = 'e') =>
    service.clock.until(async () => reason.test((await service.get(`/api/endpoints/${id}`)).waitingReason))
  const machine = (name: string) => service.get(`/api/machines/${name}`)
  return { ...service, endpointOn, waiting, machine }
}

describe('a machine', () => {
  it('is added, tested, and shown with its resources', async () => {
    const service = await withMachines()
    expect(await service.machine('gpu-box')).toEqual({
      name: 'gpu-box',
      way: SSH,
      swarm: false,
      addedAt: service.clock.wall(),
      state: 'connected',
      since: 0,
      facts: { engine: '28.0', cpus: 8, memoryBytes: 16 * 2 ** 30, cards: [], images: [] },
      workers: [],
      endpoints: [],
      test: { isRunning: false, steps: [{ check: 'Docker engine', state: 'ok', found: '28.0' }] },
    })
    expect((await service.get('/api/machines')).machines).toHaveLength(1)
  })

  it('keeps its name to itself, and is tested again when asked', async () => {
    const service = await withMachines()
    const again = await service.ask('POST', '/api/machines', { body: { name: 'gpu-box', way: SSH } })
    expect(again).toMatchObject({ status: 409, body: { code: 'MACHINE_EXISTS' } })
    service.remoteMachines.at('gpu-box').steps = [
      { check: 'Docker engine', state: 'failed', found: 'permission denied' },
    ]
    await service.post('/api/machines/gpu-box/test')
    await settle()
    expect((await service.machine('gpu-box')).test.steps).toEqual(service.remoteMachines.at('gpu-box').steps)
  })

  it.each([
    ['an option of ssh', { way: { kind: 'ssh', to: '-oProxyCommand=touch x' } }],
    ['a name that stands for all', { name: 'any' }],
    ['a folder that is not absolute', { way: { kind: 'tcp', url: 'tcp://box:2376', tlsFolder: 'certs' } }],
    ['an address of another kind', { way: { kind: 'tcp', url: 'http://box' } }],
    ['a way that is none', { way: { kind: 'telnet', to: 'box' } }],
  ])('with %s is refused', async (_what, change) => {
    const service = await setup()
    const body = { name: 'gpu-box', way: SSH, ...change }
    expect(await service.ask('POST', '/api/machines', { body })).toMatchObject({
      status: 400,
      body: { code: 'BAD_FIELD' },
    })
  })
})

describe('a worker', () => {
  it('runs on the machine that its endpoint names, and shows its name', async () => {
    const service = await withMachines()
    await service.endpointOn('gpu-box')
    const { jobId, worker } = await service.running()
    expect(service.remoteMachines.at('gpu-box').place.workers.has(worker.id)).toBe(true)
    expect(service.fleet().place.workers.size).toBe(0)
    expect((await service.get('/api/workers')).workers).toMatchObject([{ id: worker.id, machine: 'gpu-box' }])
    expect(await service.machine('gpu-box')).toMatchObject({
      workers: [{ workerId: worker.id, endpointId: 'e' }],
      endpoints: ['e'],
    })
    await worker.done(jobId, { output: 1 })
    expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED', output: 1 })
  })

  it('runs on this machine by default, and always if it is a process', async () => {
    const service = await withMachines()
    await service.endpointOn(undefined)
    await service.createEndpoint('process')
    for (const id of ['e', 'process'])
      expect(service.fleet().place.workers.has((await service.worker(id)).id)).toBe(true)
  })

  it('goes to any machine in turn, the one with the fewest workers first', async () => {
    const service = await withMachines(['box-a', 'box-b'])
    await service.endpointOn('any', 'e', { workersMin: 3, workersMax: 3 })
    await service.clock.until(async () => (await service.get('/api/workers')).workers.length === 3)
    await settle()
    const counts = [
      service.fleet().place,
      service.remoteMachines.at('box-a').place,
      service.remoteMachines.at('box-b').place,
    ]
    expect(counts.map(({ workers }) => workers.size)).toEqual([1, 1, 1])
  })

  it('is taken over by a service that was killed, and its job continues', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-machines-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const service = await withMachines(['gpu-box'], { file: join(folder, 'drydock.db') })
    await service.endpointOn('gpu-box')
    const { jobId, worker } = await service.running()
    await service.restart('killed')
    expect((await service.get('/api/workers')).workers).toMatchObject([{ id: worker.id, machine: 'gpu-box' }])
    await worker.done(jobId, { output: 1 })
    expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED' })
  })
})

it('an adopted worker is not replaced while leftovers are removed from its machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-machines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const service = await withMachines(['gpu-box', 'other'], { file: join(folder, 'drydock.db') })
  service.fleet().noEngine = 'no Docker engine answers'
  await service.endpointOn('any', 'e', { workersMin: 1, workersMax: 1 })
  const { jobId, worker } = await service.running()
  const cleared = Promise.withResolvers<void>()
  service.remoteMachines.at('gpu-box').sweepsAfter = cleared.promise
  await service.restart('killed')
  await service.run()
  await service.clock.advance(1000)
  expect((await service.get('/api/workers')).workers).toMatchObject([{ id: worker.id, machine: 'gpu-box' }])
  cleared.resolve()
  await worker.done(jobId, { output: 1 })
  expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED' })
})

describe('a machine that vanishes', () => {
  it('makes the endpoint wait, with its name and the connection error as the reason', async () => {
    const service = await withMachines()
    service.remoteMachines.at('gpu-box').lose('ssh: connect to host gpu-box port 22: No route to host')
    await service.endpointOn('gpu-box')
    await service.run()
    await service.waiting(/^No capacity for a worker: gpu-box: it cannot be reached: ssh: .* No route to host\.$/)
    service.remoteMachines.at('gpu-box').reach()
    expect((await service.worker()).id).toBeDefined()
  })

  it('ends the workers of before when it is back, and gets new ones only then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-machines-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const service = await withMachines(['gpu-box'], { file: join(folder, 'drydock.db') })
    await service.endpointOn('gpu-box')
    const { jobId, worker } = await service.running()
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    let isBack = false
    const restarted = service.restart('killed').then(() => {
      isBack = true
    })
    await service.clock.until(() => isBack, 20_000)
    await restarted
    expect(await service.status(jobId)).toMatchObject({ status: 'IN_QUEUE' })
    expect(service.remoteMachines.at('gpu-box').place.workers.has(worker.id)).toBe(true)
    service.remoteMachines.at('gpu-box').reach()
    const next = await service.worker('e', [worker])
    expect(service.remoteMachines.at('gpu-box').place.workers.has(worker.id)).toBe(false)
    expect(await next.take()).toMatchObject({ id: jobId })
  })
})

describe('a machine that vanishes with an idle worker', () => {
  it('is replaced at once by a machine that has room, and its worker leaves when it is back', async () => {
    const service = await withMachines(['gpu-box', 'other'])
    service.fleet().cards = 0
    const container = { ...IMAGE, machine: 'any', gpu: 'ANY' }
    await service.createEndpoint('e', { container, workersMin: 1, workersMax: 1 })
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    const { 'gpu-box': box, other } = Object.fromEntries(
      ['gpu-box', 'other'].map((name) => [name, service.remoteMachines.at(name)]),
    ) as Record<string, ReturnType<typeof service.remoteMachines.at>>
    expect([box?.place.workers.size, other?.place.workers.size]).toEqual([1, 0])

    box?.lose('Connection timed out')
    const lostAt = service.clock.wall()
    const next = await service.worker('e', [worker])
    expect(service.clock.wall() - lostAt).toBeLessThan(1000)
    const waiting = await service.run()
    expect((await next.take())?.id).toBe(waiting)
    expect(other?.place.workers.size).toBe(1)
    await next.done(waiting, { output: 2 })

    box?.reach()
    await service.clock.until(async () => box?.place.workers.size === 0)
    expect(other?.place.workers.size).toBe(1)
  })

  it('has its worker replaced once, even if the next one was prepared there, which is removed later', async () => {
    const service = await withMachines(['gpu-box', 'other'])
    service.fleet().noEngine = 'no Docker engine answers'
    const container = { ...IMAGE, machine: 'any', prepared: 1 }
    await service.createEndpoint('e', { container, workersMin: 1, workersMax: 2 })
    const first = await service.worker()
    const [box, other] = ['gpu-box', 'other'].map((name) => service.remoteMachines.at(name))
    await service.clock.until(() => box?.place.prepared.size === 1)
    const image = Promise.withResolvers<void>()
    if (other !== undefined) other.fleet().startsAfter = image.promise
    box?.lose('Connection timed out')
    await service.clock.advance(1000)
    await service.run()
    await service.clock.advance(1000)
    image.resolve()
    await service.worker('e', [first])
    box?.reach()
    await service.clock.until(() => box?.place.prepared.size === 0)
    const { events } = await service.get('/api/fleet-events?kinds=scale')
    expect(events.filter(({ event }: { readonly event: string }) => event === 'initializing')).toHaveLength(2)
  })

  it('is the reason why a job waits if no other machine has room', async () => {
    const service = await withMachines()
    await service.endpointOn('gpu-box', 'e', { workersMin: 1, workersMax: 1 })
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    await service.run()
    await service.waiting(/^No capacity for a worker: gpu-box: it cannot be reached: Connection timed out\.$/)
    expect(await service.get('/api/endpoints/e')).not.toHaveProperty('crash')
  })
})

it('reports the lost machine on its job, which restarts elsewhere', async () => {
  const service = await withMachines(['gpu-box', 'other'])
  service.fleet().cards = 0
  await service.createEndpoint('e', { container: { ...IMAGE, machine: 'any', gpu: 'ANY' }, workersMax: 2 })
  const { jobId, worker } = await service.running()
  service.remoteMachines.at('gpu-box').lose('Connection timed out')
  await service.clock.advance(limit('leaseMs') + 1000)
  expect((await service.get('/api/fleet-events?kinds=crash')).events).toEqual([])
  const next = await service.worker('e', [worker])
  expect((await next.take())?.id).toBe(jobId)
  const job = await service.get(`/api/jobs/${jobId}`)
  expect(job.history).toContainEqual(expect.objectContaining({ reason: 'machine gpu-box is unreachable' }))
  const warning = 'Started twice: gpu-box was lost. Its handler may have run more than once.'
  expect(job.warnings).toContain(warning)
  expect((await service.get(`/api/jobs/${jobId}/progress`)).warnings).toEqual([warning])
})

it('a job whose lease ends before the loss of its machine is noticed keeps its tries', async () => {
  const service = await withMachines()
  await service.endpointOn('gpu-box', 'e', { redispatches: 0 })
  const { jobId } = await service.running()
  service.remoteMachines.at('gpu-box').losesWhenAsked = 'Connection timed out'
  await service.clock.advance(limit('leaseMs') + 1000)
  const record = await service.get(`/api/jobs/${jobId}`)
  expect(record).toMatchObject({ status: 'IN_QUEUE' })
  expect(record.history.at(-1)).toMatchObject({ event: 'release', reason: 'machine gpu-box is unreachable' })
})

it('a job on a lost node of a swarm names the node', async () => {
  const service = await withMachines(['lab'])
  await service.endpointOn('lab')
  const { jobId } = await service.running()
  Object.assign(service.remoteMachines.at('lab'), { lostNode: 'n2' }).lose('no answer')
  const { waitingReason } = await service.get(`/api/jobs/${jobId}`)
  expect(waitingReason).toBe('Node n2 of lab is unreachable.')
  await service.clock.advance(limit('leaseMs') + 1000)
  const { history } = await service.get(`/api/jobs/${jobId}`)
  expect(history.at(-1)).toMatchObject({ event: 'release', reason: 'node n2 of lab is unreachable' })
})

describe('a job of an endpoint that waits for its machine', () => {
  async function lostWhileRunning(waitForMachineMs: number) {
    const service = await withMachines(['gpu-box', 'other'])
    service.fleet().cards = 0
    const container = { ...IMAGE, machine: 'any', gpu: 'ANY' }
    await service.createEndpoint('e', { container, workersMax: 2, waitForMachineMs })
    const { jobId, worker } = await service.running()
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    return { ...service, jobId, lost: worker, box: service.remoteMachines.at('gpu-box') }
  }

  it('stays with its worker until the machine reconnects, and runs once', async () => {
    const service = await lostWhileRunning(60_000)
    await service.clock.advance(50_000)
    const waiting = await service.get(`/api/jobs/${service.jobId}`)
    expect(waiting).toMatchObject({ status: 'IN_PROGRESS', attempt: 1 })
    expect(waiting.waitingReason).toBe('Machine gpu-box is unreachable; the job waits up to 1 min for it.')
    service.box.reach()
    await settle()
    await service.lost.done(service.jobId, { output: 1 })
    const job = await service.get(`/api/jobs/${service.jobId}`)
    expect(job).toMatchObject({ status: 'COMPLETED', attempt: 1 })
    expect(job.warnings.join()).not.toContain('Started')
  })

  it('is queued again when that takes longer, n-1 and n', async () => {
    const service = await lostWhileRunning(60_000)
    await service.clock.advance(limit('leaseMs') + 60_000 - 1000)
    expect(await service.status(service.jobId)).toMatchObject({ status: 'IN_PROGRESS' })
    await service.clock.advance(2000)
    const next = await service.worker('e', [service.lost])
    expect((await next.take())?.id).toBe(service.jobId)
  })

  it('is taken back at once from a worker that has ended when the machine is back', async () => {
    const service = await lostWhileRunning(600_000)
    await service.clock.advance(60_000)
    service.box.reach()
    service.box.fleet().end(service.lost.id, { signal: 'SIGKILL' })
    await service.clock.until(
      async () =>
        (await service.get(`/api/jobs/${service.jobId}`)).attempt > 1 ||
        (await service.status(service.jobId)).status === 'IN_QUEUE',
    )
  })
})

describe('an engine of this machine that is lost for a while', () => {
  it('leaves an idle worker that ends after its idle timeout when the engine is back', async () => {
    const service = await withMachines([])
    await service.createEndpoint('e', { workersMin: 0, workersMax: 1, idleTimeoutMs: 10_000 })
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    service.fleet().setAway(true)
    await service.clock.advance(20_000)
    expect(service.fleet().list()).toHaveLength(1)
    service.fleet().setAway(false)
    await service.clock.advance(1000)
    await service.clock.until(async () => service.fleet().list().length === 0)
  })
})

describe('this machine without an engine', () => {
  const NO_ENGINE = 'no Docker engine answers: there is no socket at the usual paths. Start Docker, or set DOCKER_HOST'

  it('is reported as the waiting reason of jobs, not as a crash', async () => {
    const service = await withMachines([])
    service.fleet().noEngine = NO_ENGINE
    await service.endpointOn(undefined)
    await service.run()
    await service.waiting(/^No capacity for a worker: no Docker engine answers: .* Start Docker, or set DOCKER_HOST\.$/)
    await service.clock.advance(30_000)
    const endpoint = await service.get('/api/endpoints/e')
    expect(endpoint).toMatchObject({ state: 'throttled', waitingNeedsChange: true })
    expect(endpoint).not.toHaveProperty('crash')
    expect((await service.get('/api/fleet-events?kinds=crash')).events).toEqual([])
    const { events } = await service.get('/api/fleet-events?kinds=worker')
    expect(events).toMatchObject([{ event: 'ended', reason: NO_ENGINE }])
  })

  it('is reported before any job waits, as long as no worker runs', async () => {
    const service = await withMachines([])
    service.fleet().noEngine = NO_ENGINE
    await service.endpointOn(undefined, 'e', { workersMin: 0 })
    const unable = { state: 'throttled', throttledReason: NO_ENGINE }
    expect(await service.get('/api/endpoints/e')).toMatchObject(unable)
    expect((await service.get('/api/endpoints')).endpoints).toMatchObject([unable])
    expect((await service.get('/api/live')).endpoints).toMatchObject([unable])
    service.fleet().noEngine = undefined
    await service.clock.advance(10_000)
    const able = await service.get('/api/endpoints/e')
    expect(able.state).toBe('asleep')
    expect(able).not.toHaveProperty('throttledReason')
  })

  it('does not affect endpoints of other machines, which report their own reasons', async () => {
    const service = await withMachines()
    service.fleet().noEngine = NO_ENGINE
    const made = async (id: string, container: object) =>
      (await service.ask('POST', '/api/endpoints', { body: { id, name: id, container: { ...IMAGE, ...container } } }))
        .body.warning
    expect(await made('able', { machine: 'gpu-box' })).toBeUndefined()
    expect(await made('either', { machine: 'any' })).toBeUndefined()
    expect(await made('large', { machine: 'gpu-box', memoryBytes: 2 ** 40 })).toMatch(
      /^Its workers cannot run at the moment: gpu-box: a worker wants 1\.0 TiB of memory, and it has 16 GiB\.$/,
    )
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    await service.clock.advance(5000)
    const unreached = 'gpu-box: it cannot be reached: Connection timed out'
    expect(await made('away', { machine: 'gpu-box' })).toBe(`Its workers cannot run at the moment: ${unreached}.`)
    expect(await made('neither', { machine: 'any' })).toBe(
      `Its workers cannot run at the moment: this machine: ${NO_ENGINE}; ${unreached}.`,
    )
  })

  it('is passed over by "any" where another machine has room', async () => {
    const service = await withMachines()
    service.fleet().noEngine = NO_ENGINE
    await service.endpointOn('any', 'e', { workersMin: 2, workersMax: 2 })
    await service.clock.until(() => service.remoteMachines.at('gpu-box').place.workers.size === 2)
    expect(service.fleet().hasTriedEngine).toBe(false)
  })

  it('keeps "any" waiting with the reasons of all machines', async () => {
    const service = await withMachines()
    service.fleet().noEngine = NO_ENGINE
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    await service.endpointOn('any')
    await service.run()
    await service.waiting(
      /this machine: no Docker engine answers: .*; gpu-box: it cannot be reached: Connection timed out/,
    )
    expect(await service.get('/api/endpoints/e')).not.toHaveProperty('crash')
  })
})

describe('a worker that was starting when its machine vanished', () => {
  it('has not failed when the machine is back after a long time', async () => {
    const service = await withMachines()
    await service.endpointOn('gpu-box', 'e', { workersMin: 1, workersMax: 1, initializingTimeoutMs: 60_000 })
    await service.clock.until(() => service.remoteMachines.at('gpu-box').place.workers.size === 1)
    service.remoteMachines.at('gpu-box').lose('Connection timed out')
    await service.clock.advance(120_000)
    service.remoteMachines.at('gpu-box').reach()
    await service.clock.advance(5000)
    expect(service.remoteMachines.at('gpu-box').place.workers.size).toBe(1)
    expect(await service.get('/api/endpoints/e')).not.toHaveProperty('crash')
    expect((await service.get('/api/workers')).workers).toMatchObject([{ state: 'initializing' }])
    await service.clock.advance(60_000)
    expect(await service.get('/api/endpoints/e')).toHaveProperty('crash')
  })
})

describe('a machine that lacks something', () => {
  it('is the reason why jobs wait: a card, memory, the machine itself', async () => {
    const service = await withMachines()
    service.remoteMachines.at('gpu-box').fleet().cards = 0
    await service.endpointOn('nowhere', 'e')
    await service.createEndpoint('card', { container: { ...IMAGE, machine: 'gpu-box', gpu: 'ANY' } })
    await service.createEndpoint('memory', { container: { ...IMAGE, machine: 'gpu-box', memoryBytes: 64 * 2 ** 30 } })
    for (const id of ['e', 'card', 'memory']) await service.run({}, {}, id)
    await service.waiting(/: there is no machine nowhere\. Add it, or choose another one\.$/)
    await service.waiting(/: gpu-box: 0 cards are free\.$/, 'card')
    await service.waiting(/: gpu-box: a worker wants 64 GiB of memory, and it has 16 GiB\.$/, 'memory')
    expect(service.remoteMachines.at('gpu-box').place.workers.size).toBe(0)
  })
})

describe('the removal of a machine', () => {
  it('ends what runs there, clears it, and lets its endpoints wait', async () => {
    const service = await withMachines()
    await service.endpointOn('gpu-box')
    const { jobId, worker } = await service.running()
    expect(await service.ask('DELETE', '/api/machines/gpu-box')).toMatchObject({ status: 200 })
    expect(service.remoteMachines.at('gpu-box').place.workers.has(worker.id)).toBe(false)
    expect(service.remoteMachines.at('gpu-box').wasCleared).toBe(true)
    expect(await service.status(jobId)).toMatchObject({ status: 'IN_QUEUE' })
    await service.waiting(/there is no machine gpu-box/)
    expect(await service.ask('DELETE', '/api/machines/gpu-box')).toMatchObject({ status: 404 })
    expect((await service.get('/api/machines')).machines).toEqual([])
  })
})

describe('a container left on a machine that is unreachable at the end of a run', () => {
  async function stopped() {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-machines-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const service = await withMachines(['gpu-box'], { file: join(folder, 'drydock.db') })
    await service.endpointOn('gpu-box')
    const { worker } = await service.running()
    const box = service.remoteMachines.at('gpu-box')
    return { ...service, first: worker, box }
  }

  it('is reported, and removed and logged by the next start that reaches the machine', async () => {
    const service = await stopped()
    service.box.lose('No route to host')
    const left = await service.restart('in order')
    expect(left).toEqual([{ machine: 'gpu-box', swarm: false, id: expect.any(String), why: 'No route to host' }])
    expect(service.box.place.workers.has(service.first.id)).toBe(true)
    service.box.reach()
    await service.clock.until(() => !service.box.place.workers.has(service.first.id))
    expect(await service.restart('in order')).toEqual([])
  })

  it('is not reported if no worker ever ran', async () => {
    const service = await withMachines()
    service.remoteMachines.at('gpu-box').lose('No route to host')
    expect(await service.restart('in order')).toEqual([])
  })

  it('is named by the removal of the machine, and removed when it is added again', async () => {
    const service = await stopped()
    service.box.lose('No route to host')
    let removed: unknown
    void service.ask('DELETE', '/api/machines/gpu-box').then(({ body }) => {
      removed = body
    })
    await service.clock.until(() => removed !== undefined, 30_000)
    expect(removed).toMatchObject({ left: { machine: 'gpu-box', why: 'No route to host' } })
    const { id } = (removed as { left: { id: string } }).left
    await service.post('/api/machines', { name: 'gpu-box', way: SSH })
    await settle()
    expect(service.box.clearedIds).toEqual([])
    service.box.reach()
    await service.clock.until(() => service.box.clearedIds.includes(id))
  })

  it('is looked for on the machine that it is on, whatever other machine has its name now', async () => {
    const service = await stopped()
    service.box.lose('No route to host')
    const removing = service.ask('DELETE', '/api/machines/gpu-box')
    const { id } = await service.clock.until(async () => {
      const { body } = await Promise.race([removing, { body: undefined }])
      return (body as { left?: { id: string } } | undefined)?.left ?? false
    }, 30_000)
    const other = { kind: 'ssh', to: 'ada@other-box' }
    await service.post('/api/machines', { name: 'gpu-box', way: other })
    service.box.reach()
    await settle()
    await service.post('/api/machines', { name: 'old-box', way: SSH })
    await service.clock.until(() => service.remoteMachines.at('old-box').clearedIds.includes(id))
    expect(service.box.clearedIds).toEqual([])
  })

  it('under two names of one machine is not taken for what was left', async () => {
    const service = await withMachines(['gpu-box', 'same-box'])
    await service.endpointOn('gpu-box')
    await service.running()
    const [box, same] = ['gpu-box', 'same-box'].map(service.remoteMachines.at)
    same?.lose('No route to host')
    same?.reach()
    await settle()
    expect([box?.clearedIds, same?.clearedIds]).toEqual([[], []])
  })

  it('of a preview is noted, and removed at once where the machine is reached', async () => {
    const service = await withMachines()
    const box = service.remoteMachines.at('gpu-box')
    await service.post('/api/machines/gpu-box/remains', { id: 'abc123' })
    await service.clock.until(() => box.clearedIds.includes('abc123'))
    const refused = await service.ask('POST', '/api/machines/gpu-box/remains', { body: { id: '../x' } })
    expect(refused).toMatchObject({ status: 400 })
  })
})
