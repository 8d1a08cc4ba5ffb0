/** Unmodified clients of ComfyUI servers from the registries, at the port of an endpoint. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../src-main/http/server/listen.ts'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { installClient } from './packages.ts'

const SKETCH = join(import.meta.dirname, '../../resources/node/sketch/handler.ts')
const PICTURE = join(import.meta.dirname, '../../resources/icons/64x64.png')
const WORKFLOWS = join(import.meta.dirname, '../../../shared/workflows')

// biome-ignore lint/suspicious/noExplicitAny: clients print JSON of any shape
type Printed = any

type Setup = { readonly service: ServedService; readonly address: string; readonly port: number }

async function setup(): Promise<Setup> {
  const service = await startedService()
  const port = await freePort(() => false)
  const settings = { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1 }
  await service.createEndpoint('sketch', { ...settings, comfyuiWithoutKey: true, comfyuiPort: port })
  const address = `http://127.0.0.1:${port}`
  await until(async () => expect((await fetch(`${address}/queue`)).status).toBe(200))
  return { service, address, port }
}

/** Writes a graph with the checkpoint of the stand-in. */
function graphFile({ service }: Setup, { steps = 20, name = '01_api_sd15-txt2img' } = {}): string {
  const graph = JSON.parse(readFileSync(join(WORKFLOWS, `${name}.json`), 'utf8'))
  for (const { class_type, inputs } of Object.values<Printed>(graph)) {
    if (class_type === 'CheckpointLoaderSimple') inputs.ckpt_name = 'stand-in.safetensors'
    if (class_type === 'KSampler') inputs.steps = steps
  }
  const file = join(service.folder, 'graph.json')
  writeFileSync(file, JSON.stringify(graph))
  return file
}

const history = async ({ address }: Setup, id: string) =>
  ((await (await fetch(`${address}/history/${id}`)).json()) as Printed)[id]

/** Runs a program and reads the JSON in its last line, whatever its exit code. */
async function printed(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const aborted = new AbortController()
  onTestFinished(() => aborted.abort())
  const options = { env: { ...process.env, ...env }, signal: aborted.signal, maxBuffer: 2 ** 24 }
  const { stdout, stderr = '' } = await promisify(execFile)(program, [...args], options).catch((error) => error)
  const last = String(stdout).trim().split('\n').at(-1) ?? ''
  expect(last, String(stderr)).toMatch(/^\{/)
  return JSON.parse(last) as Printed
}

const CLIENTS = join(import.meta.dirname, 'clients')
type Variables = Readonly<Record<string, string>>
const python = (packages: string, args: readonly string[], home: string, env: Variables = {}) =>
  printed('python3', args, { PYTHONPATH: installClient('pypi', packages), HOME: home, DO_NOT_TRACK: '1', ...env })
const node = (packages: string, script: string, args: readonly string[], env: Variables = {}) =>
  printed(process.execPath, [join(CLIENTS, script), installClient('npm', packages), ...args], env)

const isPicture = expect.any(Number)

test('comfy-cli 1.23.0 runs a graph, follows it, lists it and cancels one', async () => {
  const made = await setup()
  const comfy = (...args: string[]) =>
    python('comfy-cli==1.23.0', ['-m', 'comfy_cli', '--skip-prompt', '--json', ...args], made.service.folder)
  const at = ['--host', '127.0.0.1', '--port', String(made.port)]
  const run = await comfy('run', '--workflow', graphFile(made), '--wait', ...at)
  expect(run).toMatchObject({ ok: true, data: { status: 'completed', outputs: [expect.stringContaining('/view?')] } })
  const picture = await fetch(run.data.outputs[0])
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await comfy('jobs', 'ls', ...at)).data.jobs).toMatchObject([{ status: 'completed', outputs: 1 }])

  const { prompt_id: id } = (await comfy('run', '--workflow', graphFile(made, { steps: 3000 }), ...at)).data
  expect(await comfy('jobs', 'cancel', id, ...at)).toMatchObject({ ok: true, data: { found: true } })
  await until(async () => expect((await comfy('jobs', 'status', id, ...at)).data.status).toBe('cancelled'))
})

test('comfy-api-simplified 1.6.0 runs a graph with an uploaded picture', async () => {
  const made = await setup()
  const script = join(CLIENTS, 'comfy_api_simplified_run.py')
  const run = (...args: string[]) =>
    python('comfy-api-simplified==1.6.0', [script, made.address, ...args], made.service.folder)
  expect((await run(graphFile(made))).pictures).toContainEqual(isPicture)
  expect((await run(graphFile(made, { name: '06_api_img2img-loadimage' }), PICTURE)).pictures).toContainEqual(isPicture)
})

test('comfy-toolkit 0.1.0 runs a graph and follows it', async () => {
  const made = await setup()
  const args = [join(CLIENTS, 'comfy_toolkit_run.py'), made.address, graphFile(made)]
  const found = await python('comfy-toolkit[ws]==0.1.0', args, made.service.folder)
  expect(found).toMatchObject({ steps: expect.any(Number), pictures: [isPicture] })
  expect(found.steps).toBeGreaterThan(1)
  expect(await history(made, found.id)).toMatchObject({ status: { status_str: 'success' } })
})

test('comfyui-workflow-client 0.1.0 runs a graph and gets its picture', async () => {
  const made = await setup()
  const args = [join(CLIENTS, 'comfyui_workflow_client_run.py'), made.address, graphFile(made)]
  expect(await python('comfyui-workflow-client==0.1.0', args, made.service.folder)).toEqual({ pictures: [[512, 512]] })
})

test('@saintno/comfyui-sdk 0.3.1 runs a graph, sees previews, and interrupts one', async () => {
  const made = await setup()
  const run = (file: string, ...what: string[]) =>
    node('@saintno/comfyui-sdk@0.3.1', 'saintno-sdk.mjs', [made.address, file, ...what])
  const found = await run(graphFile(made))
  expect(found.pictures).toEqual([isPicture])
  expect(Math.min(found.steps, found.previews)).toBeGreaterThan(0)
  const { id, message } = await run(graphFile(made, { steps: 3000 }), 'interrupt')
  expect(message).toContain('interrupted')
  expect(JSON.stringify((await history(made, id)).status)).toContain('execution_interrupted')
})

test('@stable-canvas/comfyui-client 1.5.9 runs a graph on the socket and by polling', async () => {
  const made = await setup()
  const found = await node('@stable-canvas/comfyui-client@1.5.9', 'stable-canvas.mjs', [made.address, graphFile(made)])
  expect(found).toMatchObject({ pictures: [isPicture, isPicture], models: 3 })
  expect(found.steps).toBeGreaterThan(1)
})

test('comfy-ui-client 0.1.2 uploads a picture, runs a graph and gets its picture', async () => {
  const made = await setup()
  const found = await node('comfy-ui-client@0.1.2', 'comfy-ui-client.mjs', [made.address, graphFile(made), PICTURE])
  expect(found).toEqual({ pictures: [isPicture], uploaded: 'uploaded.png', remaining: 0 })
})

type RunSdk = (made: Setup, args: readonly string[]) => Promise<Printed>

const SDKS: readonly (readonly [name: string, run: RunSdk])[] = [
  [
    'comfy-sdk 0.5.0',
    ({ service, address }, args) => {
      const script = join(CLIENTS, 'comfy_sdk_run.py')
      return python('comfy-sdk==0.5.0', [script, ...args], service.folder, { COMFY_BASE_URL: address })
    },
  ],
  [
    '@comfyorg/sdk 0.1.9',
    ({ address }, args) => node('@comfyorg/sdk@0.1.9', 'comfyorg-sdk.mjs', args, { COMFY_BASE_URL: address }),
  ],
]

test.each(SDKS)(
  '%s uploads a picture once, follows a graph, reads parts of its result, and cancels one',
  async (_name, run) => {
    const made = await setup()
    const found = await run(made, [graphFile(made, { name: '06_api_img2img-loadimage' }), PICTURE])
    expect(found).toMatchObject({
      ...{ again: 'idempotency_key_reuse', magic: 'PNG', part: 10, reused: true },
      format: expect.stringMatching(/api$/),
      cancelled: 'canceled',
    })
    expect(found.seen.length).toBeGreaterThanOrEqual(3)
    if (found.listed !== undefined) expect(found.listed).toEqual([found.id])
    const { id, status } = await run(made, [graphFile(made), found.id])
    expect({ id, status }).toEqual({ id: found.id, status: 'succeeded' })
  },
)

test.each(SDKS)('%s finds its job after the service was killed while it ran', async (_name, run) => {
  const made = await setup()
  const file = graphFile(made, { steps: 200 })
  const body = JSON.stringify({ workflow: JSON.parse(readFileSync(file, 'utf8')) })
  const read = async (path: string, init?: RequestInit) =>
    (await (await fetch(`${made.address}/api/v2${path}`, init)).json()) as Printed
  const { id } = await read('/jobs', { method: 'POST', body })
  await until(async () => expect((await read(`/jobs/${id}`)).status).toBe('running'))
  await made.service.kill()
  await made.service.start()
  await until(async () => expect((await fetch(`${made.address}/queue`)).status).toBe(200))
  expect(await run(made, [file, id])).toEqual({ id, status: 'succeeded', pictures: [isPicture] })
  expect((await read('/jobs')).jobs).toHaveLength(1)
})
