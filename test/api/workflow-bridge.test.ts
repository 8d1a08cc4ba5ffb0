/** Runs of endpoints with the bridge to a ComfyUI server. */
import { join } from 'node:path'
import { encode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { setup, type TestService } from '../support/core.ts'

const SEED = '18446744073709551615'
const PAYLOAD = `{"3":{"class_type":"KSampler","inputs":{"seed":${SEED},"cfg":8.0}}}`
const DOCUMENT = `{"nodes": [{"id": 3, "type": "KSampler", "widgets_values": [${SEED}]}], "links": [], "version": 0.4}`
const BRIDGE = join(import.meta.dirname, '..', '..', 'resources', 'node', 'comfyui', 'handler.ts')

/** Lets a worker take the only job of endpoint `e`, and end it. @returns its run */
async function ended(service: TestService, id: string, report: object) {
  const worker = await service.worker()
  await worker.take()
  await worker.done(id, report)
  return service.clock.until(async () => {
    const got = await service.get(`/api/workflow-runs/${id}`)
    return got.endedAt !== undefined && got
  })
}

const picture = (grey: number) =>
  Buffer.from(encode({ width: 4, height: 3, channels: 1, depth: 8, data: new Uint8Array(12).fill(grey) }))

describe('a run', () => {
  it('brings its document to the bridge, asks it for previews, and tells no worker of somebody else of either', async () => {
    const service = await setup()
    const inputOf = async (endpointId: string, settings: object) => {
      await service.createEndpoint(endpointId, settings)
      const run = await service.post('/api/workflow-runs', { endpointId, payload: PAYLOAD, document: DOCUMENT })
      const job = service.storage().jobs.find(run.id)
      return String(job && (await service.storage().jobs.readInput(job))?.input)
    }
    expect(await inputOf('bridge', { handler: BRIDGE, workflows: {} })).toBe(
      `{"workflow":${PAYLOAD},"previews":true,"extra_pnginfo":{"workflow":${DOCUMENT}}}`,
    )
    expect(await inputOf('image', { workflows: {} })).toBe(`{"workflow":${PAYLOAD}}`)
  })

  it('keeps previews apart from its results, as long as it is kept', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { id } = await service.post('/api/workflow-runs', { endpointId: 'e', payload: PAYLOAD })
    const [data, other] = [picture(1).toString('base64'), picture(7).toString('base64')]
    const images = [{ filename: 'a.png', type: 'base64', data, node: '9' }]
    const previews = [{ filename: 'b.png', type: 'base64', data: other, node: '8' }]
    const run = await ended(service, id, { output: { images, previews } })
    expect(run.results).toMatchObject([{ filename: 'a.png', node: '9' }])
    expect(run.previews).toMatchObject([{ filename: 'b.png', node: '8', mediaType: 'image/png' }])
    const unused = () => service.storage().assets.unused({ before: Number.MAX_SAFE_INTEGER, limit: 10 })
    expect(unused()).toEqual([])
    await service.ask('DELETE', `/api/workflow-runs/${id}`)
    expect(unused()).toHaveLength(2)
  })

  it('keeps the node that failed with the end of a long traceback', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { id } = await service.post('/api/workflow-runs', { endpointId: 'e', payload: PAYLOAD })
    const error = JSON.stringify({ message: 'no', node: '3', class: 'KSampler', traceback: 'x'.repeat(9000) })
    const [kept] = (await ended(service, id, { error })).errors
    expect(JSON.parse(kept)).toMatchObject({ message: 'no', node: '3', traceback: expect.stringMatching(/^x{3000,}$/) })
  })
})
