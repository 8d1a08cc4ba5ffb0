import { expect, test } from 'vitest'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { olderNode } from './kill-the-service.ts'
import { atGate, holderOf } from './lose-workers.ts'

async function linesOf(service: ServedService, jobId: string): Promise<readonly string[]> {
  const { lines } = await service.get(`/api/jobs/${jobId}/logs`)
  return lines.flatMap(({ line }: { line: string }) => (/^service is (away|back)/.test(line) ? [] : [line]))
}

test('workers outlive a service that is killed: the job they run ends with its first try, output and lines', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  const id = await service.run('work', { n: 1, print: ['before'], gates: [service.gate('go')], after: ['after'] })
  const worker = await holderOf(service, id)
  await until(async () => expect(await linesOf(service, id)).toEqual(['before']))
  await service.kill()
  expect(service.workerProcesses()).toEqual([{ pid: worker.pid, workerId: worker.id }])
  await service.start()
  expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'IN_PROGRESS', workerId: worker.id })
  service.openGate('go')
  expect(await service.jobEnd('work', id)).toMatchObject({
    status: 'COMPLETED',
    output: { n: 1, pid: worker.pid, worker: worker.id },
    workerId: worker.id,
  })
  const { attempt, retries } = await service.get(`/api/jobs/${id}`)
  expect({ attempt, retries }).toEqual({ attempt: 1 })
  expect(await linesOf(service, id)).toEqual(['before', 'after'])
  expect(await service.jobEnd('work', await service.run('work', { n: 2 }))).toMatchObject({ workerId: worker.id })
})

test('output and answers of a worker while no service runs are not lost', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  const id = await service.run('work', { n: 1, gates: [service.gate('go')], after: ['alone'] })
  const worker = await holderOf(service, id)
  await atGate(service, 'go')
  await service.kill()
  service.openGate('go')
  await until(() => expect(service.read('data', 'workers', `${worker.id}.log`)).toContain('alone'))
  await service.start()
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', workerId: worker.id })
  expect(await linesOf(service, id)).toEqual(['alone'])
})

test('the jobs of workers that died with the service run again', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  const id = await service.run('work', { n: 1, gates: [service.gate('go')] })
  const worker = await holderOf(service, id)
  await atGate(service, 'go')
  await service.kill()
  process.kill(worker.pid, 'SIGKILL')
  await until(() => expect(service.workerProcesses()).toEqual([]))
  await service.start()
  service.openGate('go')
  const record = await service.jobEnd('work', id)
  expect(record).toMatchObject({ status: 'COMPLETED' })
  expect(record.workerId).not.toBe(worker.id)
})

test('a job that was dispatched in the moment of the crash is queued again at once and loses no try', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  const { workerId } = await service.jobEnd('work', await service.run('work', { n: 1 }))
  await service.post('/api/endpoints/work/pause')
  const id = await service.run('work', { n: 2 })
  await service.kill()
  // As the commit of a claim leaves it, whose answer the worker never got.
  service.changeDatabase(
    `UPDATE jobs SET status = 'IN_PROGRESS', worker_id = ?, attempt = 1, started_at = queued_at, delay_ms = 0 WHERE id = ?`,
    workerId,
    id,
  )
  await service.start()
  await until(async () => expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'IN_QUEUE' }))
  await service.post('/api/endpoints/work/resume')
  const record = await service.jobEnd('work', id)
  expect(record).toMatchObject({ status: 'COMPLETED', output: { n: 2 }, workerId })
  expect(record).not.toHaveProperty('retries') // a lease that runs out costs one
})

// Ends two seconds after it was told to, as a program with threads of its own may.
const LINGERS = `
import threading, time

def linger():
    while threading.main_thread().is_alive():
        time.sleep(0.01)
    time.sleep(2)

threading.Thread(target=linger).start()

def handler(job):
    return "done"
`

test('workers that were told to leave before a crash are no crash loop after it', async ({ skip }) => {
  const node = olderNode()
  if (node === undefined) return skip(true, 'no Node older than 24 is on the PATH')
  const service = await startedService({ node })
  await service.createHandler('work', LINGERS, { workersMin: 6, workersMax: 6 })
  await until(async () => expect((await service.get('/v2/work/health')).workers).toMatchObject({ idle: 6 }))
  await service.kill()
  await service.start()
  expect(await service.jobEnd('work', await service.run('work', {}))).toMatchObject({ output: 'done' })
})

test('jobs that run when a launcher is killed end on their workers, with their first try', async ({ skip }) => {
  const node = olderNode()
  if (node === undefined) return skip(true, 'no Node older than 24 is on the PATH')
  const service = await startedService({ node })
  const workers = { workersMin: 6, workersMax: 6 }
  await service.createEndpoint('work', workers)
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push(await service.run('work', { n, gates: [service.gate('go')] }))
  for (const id of ids) await holderOf(service, id)
  await service.kill()
  await service.start()
  service.openGate('go')
  for (const id of ids) {
    expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED' })
    expect(await service.get(`/api/jobs/${id}`)).toMatchObject({ attempt: 1 })
  }
  const next = await service.run('work', { n: 7 })
  expect(await service.jobEnd('work', next)).toMatchObject({ status: 'COMPLETED' })
})
