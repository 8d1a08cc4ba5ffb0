/** Handlers in TypeScript, and the sketch worker, as workers of a real service. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type ServedService, servedService, until } from '../support/served-service.ts'
import { textsOf, textToPicture } from '../unit/resources/sketch/graphs.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))

async function serve(code: string, settings: object = {}) {
  const service = servedService()
  await service.start()
  const handler = join(service.folder, 'handler.ts')
  writeFileSync(handler, code)
  await service.createEndpoint('node', { handler, ...settings })
  return service
}

/** Sends an input as its text stands there, since JSON of JavaScript would round its seed. */
async function send(service: ServedService, endpointId: string, inputText: string): Promise<string> {
  const answer = await fetch(`${service.url()}/v2/${endpointId}/run`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.read('data', 'account.key').trim()}`,
      'content-type': 'application/json',
    },
    body: `{"input":${inputText}}`,
  })
  return ((await answer.json()) as { id: string }).id
}

const status = (service: ServedService, id: string, endpointId = 'node') =>
  service.get(`/v2/${endpointId}/status/${id}`)

test('a handler answers, shows progress, streams and logs by job', async () => {
  const service = await serve(`
    import { existsSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    export const returnAggregateStream = true
    export async function* handler({ id, input }: { id: string; input: { gate: string } }, { progress }) {
      progress({ half: true })
      console.log('at work')
      while (!existsSync(input.gate)) await pause(5)
      yield 1
      yield 2
    }`)
  const id = await service.run('node', { gate: service.gate('go') })
  await until(async () =>
    expect(await status(service, id)).toMatchObject({ status: 'IN_PROGRESS', output: { half: true } }),
  )
  service.openGate('go')
  expect(await service.jobEnd('node', id)).toMatchObject({ status: 'COMPLETED', output: [1, 2] })
  expect(await service.get(`/v2/node/stream/${id}?format=array`)).toEqual([{ output: 1 }, { output: 2 }])
  await until(async () => {
    const { lines } = await service.get('/api/endpoints/node/logs?tail=10')
    expect(lines).toContainEqual(expect.objectContaining({ jobId: id, line: 'at work' }))
  })
})

test('a cancel reaches the handler, and the same worker takes the next job', async () => {
  const service = await serve(`
    export async function handler({ input }, { signal, progress }) {
      if (input.next) return process.pid
      progress(process.pid)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }`)
  const id = await service.run('node', {})
  const pid = await until(async () => {
    const { output } = await status(service, id)
    expect(output).toEqual(expect.any(Number))
    return output
  })
  await service.post(`/v2/node/cancel/${id}`)
  const next = await service.run('node', { next: true })
  expect(await service.jobEnd('node', next)).toMatchObject({ status: 'COMPLETED', output: pid })
  expect(await status(service, id)).toMatchObject({ status: 'CANCELLED' })
})

test('a worker that dies in the middle loses no job, and the event tells its last words', async () => {
  const service = await serve(`
    import { existsSync, writeFileSync } from 'node:fs'
    export async function handler({ input }) {
      if (existsSync(input.gate)) return 'second try'
      writeFileSync(input.gate, '')
      setTimeout(() => { throw new RangeError('out of luck') })
      await new Promise(() => {})
    }`)
  const id = await service.run('node', { gate: service.gate('died') })
  expect(await service.jobEnd('node', id)).toMatchObject({ status: 'COMPLETED', output: 'second try' })
  await until(async () => {
    const { events } = await service.get('/api/fleet-events?limit=50')
    expect(JSON.stringify(events)).toContain('RangeError: out of luck')
  })
})

test('the sketch worker paints a graph with an exact seed, tells how far it is, and names what is wrong', async () => {
  const service = servedService()
  await service.start()
  await service.createEndpoint('sketch', { handler: SKETCH, workersMax: 1, workflows: {} })
  // It would take minutes, so that it is on its way for as long as it is looked at.
  const long = JSON.stringify(textToPicture({ steps: 10_000, size: 256 }))
  const onItsWay = await send(service, 'sketch', `{"workflow":${long}}`)
  await until(async () =>
    expect((await status(service, onItsWay, 'sketch')).output).toMatchObject({
      node: '3',
      steps: 10_000,
      done: expect.arrayContaining(['4', '5', '6', '7']),
      preview: { node: '3', data: expect.stringMatching(/^data:image\/jpeg;base64,/) },
    }),
  )
  await service.post(`/v2/sketch/cancel/${onItsWay}`)

  const workflow = JSON.stringify(textToPicture({ seed: '18446744073709551615', steps: 20, size: 256 }))
  const id = await send(service, 'sketch', `{"workflow":${workflow}}`)
  const { status: state, output } = await service.jobEnd('sketch', id)
  expect(state).toBe('COMPLETED')
  expect(output.images).toMatchObject([{ filename: 'test_00001_.png', type: 'base64', node: '9' }])
  expect(textsOf(output.images[0]).prompt).toBe(workflow)

  const wrong = await send(service, 'sketch', `{"workflow":${workflow.replace('"steps":20', '"steps":0')}}`)
  const failed = await service.jobEnd('sketch', wrong)
  expect(failed.status).toBe('FAILED')
  expect(JSON.parse(failed.error)).toMatchObject({ node: '3', class: 'KSampler', input: 'steps' })
})
