/** Workers on a machine that is reached by ssh, through a real service. */
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { remoteMachine } from '../support/far-machine.ts'
import { remoteService } from '../support/far-service.ts'
import { expectWebAnswers } from '../support/far-web.ts'
import { until } from '../support/served-service.ts'
import { removeEndpoints, sharedInFile } from '../support/shared-in-file.ts'

const made = await remoteMachine()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const shared = sharedInFile((whenOver) => {
  if ('why' in made) throw new Error(made.why)
  return remoteService(made, {}, whenOver)
})

/** The shared service, which knows the machine as `box`. The end of a test removes its endpoints. */
async function setup() {
  const service = await shared()
  onTestFinished(() => removeEndpoints(service))
  const workersOf = (endpoint: string) =>
    service.docker('ps', '--quiet', '--filter', 'label=svc.worker', '--filter', `label=svc.endpoint=${endpoint}`)
  return { ...service, service, workersOf }
}

const ECHO = `
import os
def handler(job):
    print("seen", flush=True)
    return {"got": job["input"], "host": os.uname().nodename}
`

test('a job runs there with the code of this machine, and its output is stored here', async () => {
  const { service, workersOf, onBox } = await setup()
  await service.createHandler('runs', ECHO, onBox)
  const job = await service.run('runs', { n: 1 })
  const end = await service.jobEnd('runs', job)
  expect(end).toMatchObject({ status: 'COMPLETED', output: { got: { n: 1 } } })
  expect(await workersOf('runs')).toContain(end.output.host)
})

test('a service that was killed finds its workers there again, and their jobs go on', async () => {
  const { service, workersOf, onBox } = await setup()
  const waits = `
import time
def handler(job):
    time.sleep(job["input"]["s"])
    return "done"
`
  await service.createHandler('found', waits, onBox)
  const job = await service.run('found', { s: 6 })
  await until(async () => expect((await service.get(`/v2/found/status/${job}`)).status).toBe('IN_PROGRESS'))
  const before = await workersOf('found')
  await service.kill()
  await service.start()
  expect(await service.jobEnd('found', job)).toMatchObject({ status: 'COMPLETED', output: 'done' })
  expect(await workersOf('found')).toBe(before)
})

test('a cable that is out for 5 s loses nothing', async () => {
  const { machine, service, onBox } = await setup()
  await service.createHandler('cut', ECHO, onBox)
  await service.jobEnd('cut', await service.run('cut', { n: 0 }))
  await machine.link('down')
  const jobs = await Promise.all([1, 2, 3].map((n) => service.run('cut', { n })))
  await new Promise((resolve) => setTimeout(resolve, 5000)) // the fault itself
  await machine.link('up')
  for (const job of jobs) expect(await service.jobEnd('cut', job)).toMatchObject({ status: 'COMPLETED' })
})

test('logs and a shell work as on this machine', async () => {
  const { service, onBox } = await setup()
  await service.createHandler('echo', ECHO, onBox)
  await service.jobEnd('echo', await service.run('echo', {}))
  await until(async () => expect(JSON.stringify(await service.get('/api/endpoints/echo/logs'))).toContain('seen'))
  const [worker] = (await service.get('/api/workers?endpoint=echo')).workers
  const { shellId } = await service.post(`/api/workers/${worker.id}/shell`, { columns: 80, rows: 24 })
  await service.post(`/api/shells/${shellId}/input`, { text: 'echo $((6*7))\n' })
  await until(async () => {
    const { data } = await service.get(`/api/shells/${shellId}/output`)
    expect(Buffer.from(data, 'base64').toString()).toContain('42')
  })
})

test('a handler that blocks is ended when its job is cancelled', async () => {
  const { service, onBox } = await setup()
  const blocks = 'import time\ndef handler(job):\n    time.sleep(1000)\n'
  await service.createHandler('blocks', blocks, onBox)
  const blocked = await service.run('blocks', {})
  await until(async () => expect((await service.get(`/v2/blocks/status/${blocked}`)).status).toBe('IN_PROGRESS'))
  await service.post(`/v2/blocks/cancel/${blocked}`)
  expect(await service.jobEnd('blocks', blocked)).toMatchObject({ status: 'CANCELLED' })
})

test('a handler that exceeds the memory of its container fails with the reason', async () => {
  const { service, onBox } = await setup()
  const eats = 'def handler(job):\n    return len(b"x" * (1 << 30))\n'
  const small = { ...onBox, container: { ...onBox.container, memoryBytes: 128 * 1024 ** 2 } }
  await service.createHandler('eats', eats, small)
  const eaten = await service.jobEnd('eats', await service.run('eats', {}))
  expect(JSON.stringify(eaten)).toContain('out of memory')
})

test('a load-balanced worker there answers requests, streams and WebSockets here, with files of that machine', async () => {
  const { machine, service, docker, workersOf, onBox } = await setup()
  const touch = async (path: string) => docker('exec', await workersOf('web'), 'touch', path)
  await expectWebAnswers(service, { machines: [machine], container: onBox.container, touch })
})
