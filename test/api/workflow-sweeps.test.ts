import { encode } from 'fast-png'
import { expect, test } from 'vitest'
import { setup } from '../support/core.ts'

const PAYLOAD = '{"3": {"class_type": "KSampler", "inputs": {"seed": 1}}}'
const PICTURE = Buffer.from(encode({ width: 4, height: 3, channels: 1, depth: 8, data: new Uint8Array(12) })).toString(
  'base64',
)

test('runs stand in their sweep; sweeps are listed, and cancelled as a whole', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const start = (more: object = {}) =>
    service.post('/api/workflow-runs', { endpointId: 'e', payload: PAYLOAD, title: 'Mine', ...more })
  const cell = (at: number) => ({ kind: 'grid', axes: [{ name: 'seed', text: `${at}`, at }] })
  const first = await start({ sweepId: 's1', cell: cell(0) })
  expect(first.cell).toEqual(cell(0))
  for (const at of [1, 2]) await start({ sweepId: 's1', cell: cell(at) })
  await start()
  await start({ sweepId: 's2', title: 'Other' })
  const worker = await service.worker()
  expect((await worker.take())?.id).toBe(first.id)
  await worker.done(first.id, {
    output: { images: [{ filename: 'a.png', type: 'base64', data: PICTURE }] },
  })
  await service.clock.until(async () => (await service.get(`/api/workflow-runs/${first.id}`)).endedAt !== undefined)
  const { sweeps, more } = await service.get('/api/workflow-sweeps')
  expect(sweeps).toMatchObject([
    { id: 's2', title: 'Other', runs: 1, ended: 0, completed: 0, axes: [] },
    { id: 's1', title: 'Mine', endpointId: 'e', runs: 3, ended: 1, completed: 1, axes: ['seed'] },
  ])
  expect(sweeps[1].result).toMatchObject({ filename: 'a.png', width: 4 })
  expect(more).toBe(false)
  const page = await service.get('/api/workflow-sweeps?limit=1')
  expect([page.sweeps[0].id, page.more]).toEqual(['s2', true])
  expect((await service.get('/api/workflow-sweeps?before=s2')).sweeps).toMatchObject([{ id: 's1' }])
  expect((await service.ask('GET', '/api/workflow-sweeps?before=none')).body.code).toBe('BAD_FIELD')

  expect(await service.post('/api/workflow-sweeps/s1/cancel', {})).toEqual({ cancelled: 2 })
  expect(await service.post('/api/workflow-sweeps/s1/cancel', {})).toEqual({ cancelled: 0 })
  expect((await service.ask('POST', '/api/workflow-sweeps/none/cancel')).body.code).toBe('SWEEP_NOT_FOUND')
  const statuses = async (query: string) =>
    (await service.get(`/api/workflow-runs?${query}`)).runs.map(({ status }: { status: string }) => status)
  await service.clock.until(async () => (await statuses('sweep=s1')).join() === 'CANCELLED,CANCELLED,COMPLETED')
  expect(await statuses('sweep=s2')).toEqual(['IN_QUEUE'])
})

test('the library shows the newest picture from the runs of a workflow', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const { id: workflowId } = await service.post('/api/workflows', { name: 'w', text: '{"nodes": [], "links": []}' })
  const worker = await service.worker()
  const resultOf = async () => (await service.get('/api/workflows')).workflows[0].result
  expect(await resultOf()).toBeUndefined()
  const run = async (output: object) => {
    const { id } = await service.post('/api/workflow-runs', { endpointId: 'e', payload: PAYLOAD, workflowId })
    await worker.take()
    await worker.done(id, { output })
    return service.clock.until(async () => {
      const view = await service.get(`/api/workflow-runs/${id}`)
      return view.endedAt !== undefined && view
    })
  }
  const { results } = await run({ images: [{ filename: 'a.png', type: 'base64', data: PICTURE }] })
  expect(await resultOf()).toBe(results[0].asset)
  await run({ images: [] })
  expect(await resultOf()).toBe(results[0].asset)
})
