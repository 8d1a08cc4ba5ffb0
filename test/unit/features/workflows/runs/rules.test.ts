import { expect, test } from 'vitest'
import { endpointConfig } from '../../../../../src-main/contract/endpoint.ts'
import { readPayloadNodes } from '../../../../../src-main/features/workflows/rules/payload.ts'
import { nameVariants } from '../../../../../src-main/features/workflows/rules/runs/find-results.ts'
import { findMissingModel } from '../../../../../src-main/features/workflows/rules/runs/graph-models.ts'
import { filesIn } from '../../../../../src-main/features/workflows/rules/runs/payload-files.ts'
import { readCatalog } from '../../../../../src-main/shipped-files/resources.ts'
import { json, objectOf } from '../../../../support/workflow-files.ts'

const nodesOf = (payload: object) => readPayloadNodes(objectOf(JSON.stringify(payload)))

test('a model that is asked for is looked for by its whole name', () => {
  const nodes = (name: unknown, input = 'ckpt_name') => nodesOf({ 4: { class_type: 'L', inputs: { [input]: name } } })
  const installed = { named: ['a.safetensors', 'sub/b.ckpt'], here: [] }
  expect(findMissingModel(nodes('a.safetensors'), installed)).toBe(undefined)
  expect(findMissingModel(nodes('sub/b.ckpt'), installed)).toBe(undefined)
  expect(findMissingModel(nodes('b.ckpt'), installed)).toEqual({ node: '4', input: 'ckpt_name', asked: 'b.ckpt' })
  for (const input of [
    'unet_name',
    'clip_name2',
    'control_net_name',
    'lora_01',
    'text_encoder',
    'ipadapter_file',
    'model',
  ])
    expect(findMissingModel(nodes('x.pt', input), installed)).toMatchObject({ input })
})

test('a model of the folders is there for the inputs that load from its directory', () => {
  const asks = (inputs: object, class_type = 'L') => nodesOf({ 4: { class_type, inputs } })
  const here = [
    { directory: 'loras', name: 'style.safetensors' },
    { directory: 'text_encoders', name: 'sd3/t5.safetensors' },
    { directory: 'clip_vision', name: 'eye.safetensors' },
  ]
  const missing = (nodes: ReturnType<typeof asks>) => findMissingModel(nodes, { named: [], here })?.asked
  expect(missing(asks({ lora_name: 'style.safetensors' }))).toBe(undefined)
  expect(missing(asks({ ckpt_name: 'style.safetensors' }))).toBe('style.safetensors')
  // As files that were saved on Windows name it; and an input of which nobody knows where it loads from.
  expect(missing(asks({ clip_name1: 'sd3\\t5.safetensors' }))).toBe(undefined)
  expect(missing(asks({ some_model: 'style.safetensors' }))).toBe(undefined)
  expect(missing(asks({ clip_name: 'eye.safetensors' }, 'CLIPVisionLoader'))).toBe(undefined)
  expect(missing(asks({ clip_name: 'eye.safetensors' }, 'CLIPLoader'))).toBe('eye.safetensors')
})

test('an input that is not a model is never missing: links, words, built-in names, other inputs', () => {
  const inputs = { ckpt_name: ['1', 0], vae_name: 'taesd', lora_name: 'None', text: 'x.pt', sampler_name: 'euler' }
  expect(findMissingModel(nodesOf({ 4: { class_type: 'L', inputs } }), { named: [], here: [] })).toBe(undefined)
})

test('the example of each image of the catalog loads only what its image has', async () => {
  const entries = await readCatalog()
  const checked = entries.flatMap(({ id, settings, example }) => {
    const models = endpointConfig.shape.workflows.parse(settings.workflows)?.models
    const { workflow } = (example.input ?? {}) as { workflow?: object }
    if (models === undefined || workflow === undefined) return []
    expect([id, findMissingModel(nodesOf(workflow), { named: models, here: [] })]).toEqual([id, undefined])
    return [id]
  })
  expect(checked).toContain('comfyui-sdxl')
  expect(checked.length).toBeGreaterThanOrEqual(6)
})

test('a name that is taken gets a number before its ending', () => {
  const first = (name: string) => [...nameVariants(name).take(3)]
  expect(first('x.png')).toEqual(['x.png', 'x (1).png', 'x (2).png'])
  expect(first('.hidden')).toEqual(['.hidden', '.hidden (1)', '.hidden (2)'])
  expect(first('a.b.c')).toEqual(['a.b.c', 'a.b (1).c', 'a.b (2).c'])
})

test('names of files are found wherever they stand, without the folder behind them', () => {
  const value = json({
    nodes: [{ widgets_values: ['cat.png [input]', 'a cat', { file: 'x.MP4' }, 'cat.png', 3, null] }],
  })
  expect(filesIn(value)).toEqual(['cat.png', 'x.MP4'])
  expect(filesIn(json(`${'x'.repeat(256)}.png`))).toEqual([])
})
