/** An app for the public tool, of every pattern that it has: it builds and runs as it is. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { manifest } from '../../src-main/contract/manifest.ts'
import { runningApp } from './running-app.ts'
import { archiveTexts, setup } from './support.ts'

const APP = fileURLToPath(new URL('../fixtures/public-app', import.meta.url))

/** Builds a copy of the app. */
async function built() {
  const { build, artifact, project } = setup({ files: {} })
  cpSync(APP, project, { recursive: true })
  const result = await build()
  return { artifact, result, packed: manifest.parse(JSON.parse(readFileSync(result.manifest, 'utf8'))) }
}

test('it builds without a warning, and its files are packed as they are', async () => {
  const { artifact, result } = await built()
  expect(result).toMatchObject({ warnings: [], packages: [], excluded: [] })
  const texts = archiveTexts(artifact)
  for (const file of [
    '01_getting-started/02-workers/gpu_worker.py',
    '03_services/text/rules/words.py',
    '04_models/sentiment.py',
    'older_style.py',
  ]) {
    expect(texts[file]).toBe(readFileSync(join(APP, file), 'latin1'))
  }
  expect(texts['handler_02_gpu.py']).toContain(
    "queue_function('01_getting-started.02-workers.gpu_worker', 'matrix_power', endpoint='02_gpu')",
  )
  expect(Object.keys(texts)).not.toContain('.env.example')
})

test('every endpoint is in the manifest with what its file says', async () => {
  const { packed } = await built()
  expect(packed.function_registry).toEqual({
    gpu_hello: '01_hello_gpu',
    cpu_stats: '02_cpu',
    countdown: '02_cpu_countdown',
    matrix_power: '02_gpu',
    preprocess_text: '03_preprocess',
    postprocess_results: '03_postprocess',
    gpu_inference: '03_inference',
    classify: '03_pipeline',
    health: '04_api',
    create_item: '04_api',
    get_item: '04_api',
    replace_item: '04_api',
    tag_item: '04_api',
    delete_item: '04_api',
    Sentiment: '05_sentiment',
    summarise: '05_summary',
    route: '06_router',
    reverse: '07_older',
  })
  expect(packed.resources['02_cpu']).toMatchObject({
    instanceIds: ['cpu3c-1-2', 'cpu3g-2-8'],
    workersMin: 0,
    workersMax: 2,
    idleTimeout: 10,
    executionTimeoutMs: 60_000,
  })
  expect(packed.resources['02_gpu']).toMatchObject({
    gpuIds: 'NVIDIA GeForce RTX 4090,NVIDIA A100 80GB PCIe',
    scalerType: 'REQUEST_COUNT',
    scalerValue: 2,
    minCudaVersion: '12.8',
    flashboot: false,
    maxConcurrency: 4,
  })
  expect(packed.resources['05_sentiment']).toMatchObject({
    gpuIds: 'ADA_24,AMPERE_48',
    networkVolumes: [{ name: 'models', size: 50, dataCenterId: 'EU-RO-1' }],
    dataCenterIds: ['EU-RO-1'],
    template: { containerDiskInGb: 40 },
    env: { HF_HOME: '/runpod-volume/models', MODEL: '/runpod-volume/models/small' },
    functions: [{ name: 'Sentiment', module: '04_models.sentiment', is_class: true, methods: ['predict', 'info'] }],
  })
  expect(packed.resources['06_vllm']).toMatchObject({ imageName: 'vllm/vllm-openai:v0.10.0', functions: [] })
  expect(packed.resources['07_older']).toMatchObject({ instanceIds: ['cpu3c-1-2'], workersMax: 2, idleTimeout: 5 })
  expect(Object.keys(packed.routes['04_api'] ?? {})).toEqual([
    'GET /health',
    'POST /items/{item_id}',
    'GET /items/{item_id}',
    'PUT /items/{item_id}',
    'PATCH /items/{item_id}',
    'DELETE /items/{item_id}',
  ])
  const callers = Object.entries(packed.resources).flatMap(([name, one]) => (one.makesRemoteCalls ? [name] : []))
  expect(callers).toEqual(['03_pipeline', '05_summary', '06_router'])
})

test('every endpoint of its own code answers, and they call each other', async () => {
  const { artifact } = await built()
  const { job, stream, json } = await runningApp(artifact)
  const output = async (endpoint: string, input: object) => (await job(endpoint, input)).output
  expect(await output('01_hello_gpu', { input_data: { message: 'hi' } })).toMatchObject({ message: 'hi' })
  expect(await output('02_cpu', { numbers: [1, 2, 6] })).toEqual({ mean: 3, median: 2, count: 3 })
  expect(await stream('02_cpu_countdown', { start: 2 })).toEqual([{ number: 2 }, { number: 1 }])
  expect(await output('02_gpu', { size: 3 })).toEqual({ trace: 9 })
  expect(await json('03_pipeline', 'POST', '/classify', { text: ' a  good day ' })).toEqual({
    label: 'positive',
    confidence: 1 / 3,
  })
  const item = { id: 7, name: 'The Sound of Rain', tags: ['new'] }
  expect(await json('04_api', 'POST', '/items/7', { name: 'the sound OF rain', tags: ['new'] })).toEqual(item)
  expect(await json('04_api', 'GET', '/items/7')).toEqual({ ...item, greeting: 'Hello' })
  expect(await json('04_api', 'PATCH', '/items/7', { tag: 'wet' })).toEqual({ ...item, tags: ['new', 'wet'] })
  expect(await json('04_api', 'DELETE', '/items/7')).toEqual({ deleted: 7 })
  expect(await output('05_sentiment', { method: 'info' })).toEqual({
    model: '/runpod-volume/models/small',
    language: 'en',
  })
  expect(await output('05_summary', { texts: ['good', 'bad', 'Good'] })).toEqual({ positive: 2, of: 3 })
  expect(await output('06_router', { prompt: '!hi' })).toEqual({ target: 'existing' })
  expect(await output('07_older', { text: 'abc' })).toBe('cba')
})
