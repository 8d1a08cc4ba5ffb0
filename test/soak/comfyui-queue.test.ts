/**
 * Prompts of several on one real ComfyUI, and services and servers that end meanwhile; see test/support/real-comfyui.
 */
import { decode } from 'fast-png'
import { describe, expect } from 'vitest'
import { signal } from '../support/process-table.ts'
import { beforeComfyUi, type ComfyService, ENDPOINT, PATIENCE_MS } from '../support/real-comfyui/before-comfyui.ts'
import { sampling } from '../support/real-comfyui/scenarios.ts'
import { until } from '../support/served-service.ts'

// Some 10 s of sampling: time enough to do something meanwhile.
const LONG = 120

/** A job that gives pictures of one colour. @param color 0xRRGGBB */
const painted = (color: number, count: number) =>
  JSON.stringify({
    workflow: {
      '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: count, color } },
      '2': { class_type: 'SaveImage', inputs: { filename_prefix: 'painted', images: ['1', 0] } },
    },
  })

/** Waits until the sampler of a job is at work. */
const sampled = (service: ComfyService, job: string) =>
  until(
    async () => expect((await service.get(`/v2/${ENDPOINT}/status/${job}`)).output).toMatchObject({ node: '3' }),
    PATIENCE_MS,
  )

describe('before a real ComfyUI', () => {
  const { server, test, withService, ask, queue, queueAsAnother } = beforeComfyUi()

  test('two jobs behind the prompt of another get their own pictures, and the other ends as it would', async () => {
    const service = await withService({ workersMax: 2 })
    const other = await queueAsAnother(sampling('5', LONG))
    const [red, blue] = await Promise.all([service.send(painted(0xff0000, 2)), service.send(painted(0x0000ff, 3))])
    await until(async () => expect(await queue()).toEqual([other, expect.any(String), expect.any(String)]), PATIENCE_MS)
    const colours = (await service.returned(red)).map(({ bytes }) => [...decode(bytes).data.slice(0, 3)])
    expect(colours).toEqual(Array(2).fill([255, 0, 0]))
    const others = (await service.returned(blue)).map(({ bytes }) => [...decode(bytes).data.slice(0, 3)])
    expect(others).toEqual(Array(3).fill([0, 0, 255]))
    expect((await ask(`history/${other}`))[other].status).toMatchObject({ status_str: 'success', completed: true })
    expect(await queue()).toEqual([])
  })

  test('a job continues while its service is killed and started again, as one prompt', async () => {
    const service = await withService()
    const before = Object.keys(await ask('history')).length
    const job = await service.send(sampling('11', LONG))
    await sampled(service, job)
    await service.kill()
    await service.start()
    expect((await service.returned(job)).map(({ node }) => node)).toEqual(['9'])
    expect(await service.get(`/api/jobs/${job}`)).toMatchObject({ attempt: 1 })
    expect([await queue(), Object.keys(await ask('history')).length]).toEqual([[], before + 1])
  })

  test('a job whose worker dies with its service runs again, and leaves nothing in the queue of the server', async () => {
    const service = await withService()
    const job = await service.send(sampling('12', LONG))
    await sampled(service, job)
    await service.kill()
    for (const { pid } of service.workerProcesses()) signal(pid, 'SIGKILL')
    await until(() => expect(service.workerProcesses()).toEqual([]))
    await service.start()
    expect((await service.returned(job)).map(({ node }) => node)).toEqual(['9'])
    expect(await queue()).toEqual([])
  })

  test('a server that is started again between two jobs takes the next one', async () => {
    const service = await withService()
    expect(await service.returned(await service.send(sampling('13', 2)))).toHaveLength(1)
    await server().kill()
    await server().start()
    expect(await service.returned(await service.send(sampling('13', 2)))).toHaveLength(1)
  })
})
