import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'
import { holderOf } from './lose-workers.ts'
import { printWithoutEnd } from './print-without-end.ts'

// Each test has its own endpoints and gates.
const shared = sharedService()

const workerIds = async (service: ServedService, endpointId: string): Promise<readonly string[]> =>
  (await service.get(`/api/workers?endpoint=${endpointId}`)).workers.map(({ id }: { id: string }) => id)

test('a worker with a wrong token, or with that of another endpoint, gets no job and no result in', async () => {
  const service = await shared()
  await service.createEndpoint('mine', { workersMin: 1, workersMax: 1 })
  await service.createEndpoint('other', {
    command: `sh -c 'printenv RUNPOD_AI_API_KEY RUNPOD_POD_ID > token; exec sleep 600'`,
  })
  await service.run('other', {})
  const [otherToken = '', otherWorker] = await until(() => {
    const lines = service.read('token').trim().split('\n')
    expect(lines).toHaveLength(2)
    return lines
  })
  const id = await service.run('mine', { n: 1, gates: [service.gate('go')] })
  const mine = await holderOf(service, id)
  const { workerUrl } = service.serviceFile()
  const call = async (path: string, token: string, body?: string) => {
    const answer = await fetch(`${workerUrl}/v2/${path}`, {
      headers: { authorization: token },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    return answer.status
  }
  const done = JSON.stringify({ output: 'forged' })
  const statuses = await Promise.all([
    call(`mine/job-take/${mine.id}?w=1&job_in_progress=0`, 'wrong'),
    call(`mine/job-done/${mine.id}/${id}?w=1`, 'wrong', done),
    call(`mine/job-done/${mine.id}/${id}?w=1`, otherToken, done),
    call(`mine/job-done/${otherWorker}/${id}?w=1`, otherToken, done),
    call(`mine/job-take/${otherWorker}?w=1&job_in_progress=0`, otherToken),
    call(`mine/job-stream/${mine.id}/${id}?w=1`, otherToken, done),
    call(`mine/ping/${mine.id}?w=1`, ''),
  ])
  expect(statuses).toEqual(statuses.map(() => 401))
  // Its own endpoint takes what it says of a foreign job as late.
  expect(await call(`other/job-done/${otherWorker}/${id}?w=1`, otherToken, done)).toBe(200)
  service.openGate('go')
  expect(await service.jobEnd('mine', id)).toMatchObject({ status: 'COMPLETED', output: { n: 1 }, workerId: mine.id })
})

test('a crash loop names the Python error, waits longer each time, and resume tries again at once', async () => {
  const service = await shared()
  const noted = `import time\nopen(${JSON.stringify(service.gate('starts'))}, "a").write(f"{time.time()}\\n")\n`
  await service.createHandler('broken', `${noted}import not_installed_anywhere\n`)
  const id = await service.run('broken', {})
  const reason = async (): Promise<string | undefined> => (await service.get('/api/endpoints/broken')).waitingReason
  // A late look sees less of a pause, or a later one.
  const { crashes, endsAt } = await until(async () => {
    const said = /worker failed (\d+) times within .*ModuleNotFoundError.*not_installed_anywhere.*; next try in (\d+) s/
    const [, times, seconds] = said.exec((await reason()) ?? '') ?? []
    expect(Number(times)).toBeGreaterThanOrEqual(3)
    expect(Number(seconds)).toBeLessThanOrEqual(2 ** (Number(times) - 1))
    return { crashes: Number(times), endsAt: Date.now() + Number(seconds) * 1000 }
  })
  const starts = service.read('starts').trim().split('\n').slice(0, crashes)
  const tries = [...starts.map((seconds) => Number(seconds) * 1000), endsAt]
  for (let n = 0; n < crashes; n++)
    expect(Number(tries[n + 1]) - Number(tries[n]), `pause ${n + 1}`).toBeGreaterThanOrEqual(1000 * 2 ** n)

  writeFileSync(join(service.folder, 'broken.py'), 'def handler(job):\n    return "mended"\n')
  await service.post('/api/endpoints/broken/resume')
  expect((await reason()) ?? '').not.toMatch(/failed \d+ times/)
  expect(await service.jobEnd('broken', id)).toMatchObject({ status: 'COMPLETED', output: 'mended' })
  expect(await reason()).toBeUndefined()
})

test('a handler that ignores a cancel is killed after the grace time; others on its worker lose nothing', async () => {
  const service = await shared()
  await service.createEndpoint('ignores', { workersMax: 1, concurrency: 4, stopGraceMs: 300 })
  const ids: string[] = []
  for (let n = 0; n < 4; n++)
    ids.push(
      await service.run('ignores', { n, print: [`in ${n}`], gates: [service.gate(n === 0 ? 'never' : 'others')] }),
    )
  const [stubborn = '', ...others] = ids
  const first = await holderOf(service, stubborn)
  for (const id of others) expect(await holderOf(service, id)).toMatchObject({ id: first.id })
  // A job whose handler has not begun is given up, and nobody is there who ignores it.
  await until(async () => {
    const { lines } = await service.get(`/api/workers/${first.id}/logs`)
    expect(lines).toContainEqual(expect.objectContaining({ line: 'in 0' }))
  })
  expect(await service.post(`/v2/ignores/cancel/${stubborn}`)).toEqual({ id: stubborn, status: 'CANCELLED' })

  await until(() => expect(service.workerProcesses().map(({ pid }) => pid)).not.toContain(first.pid))
  const next = await service.run('ignores', { n: 4 })
  service.openGate('others')
  for (const [n, id] of [...others, next].entries()) {
    const record = await service.jobEnd('ignores', id)
    expect(record).toMatchObject({ status: 'COMPLETED', output: { n: n + 1 } })
    expect(record).not.toHaveProperty('retries')
    expect(record.workerId).not.toBe(first.id)
  }
  expect(await service.get(`/v2/ignores/status/${stubborn}`)).toMatchObject({ status: 'CANCELLED' })
  expect((await service.get('/v2/ignores/health')).jobs).toMatchObject({ completed: 4, failed: 0, retried: 0 })
})

test('a worker that asks for its replacement is replaced, and its result counts', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  const first = await service.jobEnd('work', await service.run('work', { n: 1, refresh: true }))
  expect(first).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  const second = await service.jobEnd('work', await service.run('work', { n: 2 }))
  expect(second).toMatchObject({ status: 'COMPLETED', output: { n: 2 } })
  expect(second.workerId).not.toBe(first.workerId)
  await until(async () => expect(await workerIds(service, 'work')).toEqual([second.workerId]))
  expect(service.workerProcesses().map(({ workerId }) => workerId)).toEqual([second.workerId])
})

test('child processes of a worker end with it', async () => {
  const service = await shared()
  const code = `import subprocess\ndef handler(job):\n    return subprocess.Popen(["sleep", "600"]).pid\n`
  await service.createHandler('parent', code, { workersMin: 1, workersMax: 1 })
  const { output, workerId } = await service.jobEnd('parent', await service.run('parent', {}))
  expect(service.workerProcesses()).toContainEqual({ pid: output, workerId })
  await service.post(`/api/workers/${workerId}/stop`)
  await until(() => expect(service.workerProcesses().map(({ pid }) => pid)).not.toContain(output))
})

test('workers that print without end neither stop the service nor fill the disk', async () => {
  await printWithoutEnd({ runs: 1, lines: 2000 })
})
