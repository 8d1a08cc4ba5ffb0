/** Graphs of several models on several ComfyUI servers, with real workers. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fakeServer } from '../support/comfyui/fake-server.ts'
import { servedService, until } from '../support/served-service.ts'

const BRIDGE = fileURLToPath(new URL('../../resources/node/comfyui/handler.ts', import.meta.url))
const MODELS = ['a', 'b', 'c', 'd'].map((name) => `${name}.safetensors`)
const GRAPHS_EACH = 20
const LOADS_MOST = 1.2

test('four servers with 20 graphs of each of four models load each model once, and none is idle', async () => {
  // A graph ends once all four servers run one: a server that stays idle would stop the test.
  let running: (() => void)[] = []
  const runs = () =>
    new Promise<void>((resolve) => {
      running.push(resolve)
      if (running.length < MODELS.length) return
      for (const end of running) end()
      running = []
    })
  const servers = await Promise.all(MODELS.map(() => fakeServer({ models: MODELS, runs })))
  const service = servedService()
  await service.start()
  const [server, ...moreServers] = servers.map(({ url }) => url())
  await service.createEndpoint('comfy', {
    ...{ handler: BRIDGE, workflows: { server, moreServers, checkModels: false } },
  })
  await service.post('/api/endpoints/comfy/pause')
  for (let n = 0; n < MODELS.length * GRAPHS_EACH; n++) {
    const workflow = {
      1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: MODELS[((n * (n + 1)) / 2) % MODELS.length] } },
      9: { class_type: 'SaveImage', inputs: { images: ['1', 0], number: n } },
    }
    await service.post('/v2/comfy/run', { input: { workflow } })
  }
  await service.post('/api/endpoints/comfy/resume')
  await until(async () => {
    expect((await service.get('/v2/comfy/health')).jobs).toMatchObject({ inQueue: 0, inProgress: 0 })
  })
  expect(servers.map(({ ran }) => ran.length)).toEqual(MODELS.map(() => GRAPHS_EACH))
  const loads = servers.reduce((sum, one) => sum + one.loads(), 0)
  expect(loads).toBeLessThanOrEqual(MODELS.length * LOADS_MOST)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
})
