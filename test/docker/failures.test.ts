/** Containers that do not come up, or end: the reason is on the worker and on the jobs that wait. */
import { beforeEach, expect, test } from 'vitest'
import {
  type ContainerService,
  nothingLeft,
  sharedContainerService,
  startedContainerService,
} from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = sharedContainerService(engine)

/** A service with an endpoint on an image that does no work, and a job that waits for it. */
async function waitsFor(container: object, settings: object = {}, start = setup) {
  const service = await start()
  const image = { image: 'busybox:latest', prepared: 0, ...container }
  await service.createEndpoint('work', { handler: undefined, container: image, ...settings })
  return { service, id: await service.run('work', {}) }
}

/** Waits for words in the reason why the job waits, and in the events of the workers. */
async function tells(service: ContainerService, id: string, words: RegExp): Promise<void> {
  await until(async () => expect((await service.get(`/api/jobs/${id}`)).waitingReason).toMatch(words))
  await until(() => {
    const events = service.readDatabase(`SELECT reason FROM events WHERE type = 'worker' AND reason IS NOT NULL`)
    expect(events.some(({ reason }) => words.test(String(reason)))).toBe(true)
  })
  expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'IN_QUEUE' })
}

test('a handler that cannot be imported: the last error of the container', async () => {
  const service = await setup()
  await service.createContainerHandler('work', 'import not_installed_anywhere\n', {}, { prepared: 0 })
  await tells(service, await service.run('work', {}), /ModuleNotFoundError: No module named 'not_installed_anywhere'/)
})

test('a program that ends without a word: its exit code', async () => {
  const { service, id } = await waitsFor({ args: ['sh', '-c', 'exit 7'] })
  await tells(service, id, /exit code 7/)
})

test('a command that the image does not have: its name', async () => {
  const { service, id } = await waitsFor({ args: ['no-such-program'] })
  await tells(service, id, /exec no-such-program failed: No such file/)
  await until(async () => expect(await service.containers()).toEqual([]))
})

test('an image that does not exist and cannot be pulled: its name', async () => {
  const { service, id } = await waitsFor({ image: 'drydock-test/not-there:1', pull: 'never' })
  await tells(service, id, /drydock-test\/not-there:1/)
})

test('a container that never asks for a job: it is ended when its time is over', async () => {
  const start = () => startedContainerService(engine)
  const { service, id } = await waitsFor({ args: ['sleep', '600'] }, { initializingTimeoutMs: 1000 }, start)
  await tells(service, id, /not ready within 1 s/)
  await service.ask('DELETE', '/api/endpoints/work')
  await until(async () => expect(await service.containers()).toEqual([]))
  await service.stop()
  await nothingLeft(service)
})

test('a volume that would hand over the engine: it is refused', async () => {
  const { service, id } = await waitsFor({ volumes: [{ source: '/var/run/docker.sock', target: '/docker.sock' }] })
  await tells(service, id, /would give the container control of the Docker engine/)
})
