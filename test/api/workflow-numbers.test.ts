import { expect, it } from 'vitest'
import { setup } from '../support/core.ts'

it('a run sends NaN and Infinity within a text, as JSON has no word for them, and nothing that a server noted for its cache', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const sent = async (inputs: string) => {
    const payload = `{"3": {"class_type": "KSampler", "inputs": ${inputs}, "is_changed": [NaN]}}`
    const { id } = await service.post('/api/workflow-runs', { endpointId: 'e', title: 'x', payload })
    const job = service.storage().jobs.find(id)
    const text = String(job && (await service.storage().jobs.readInput(job))?.input)
    return { text, run: await service.get(`/api/workflow-runs/${id}`) }
  }
  const node = (inputs: string) => `{"3":{"class_type":"KSampler","inputs":${inputs}}}`
  const plain = await sent('{"cfg":1.0}')
  expect(plain.text).toBe(`{"workflow":${node('{"cfg":1.0}')}}`)
  const bare = await sent('{"cfg":NaN,"eta":-Infinity}')
  expect(JSON.parse(bare.text)).toBe(`{"workflow":${node('{"cfg":NaN,"eta":-Infinity}')}}`)
  expect(bare.run.payload).toBe(node('{"cfg":NaN,"eta":-Infinity}'))
})
