/** Our runtime of 2.0 apps in containers: the folder of our packages and the artifact are mounted, nothing is built. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { APP_SOURCE, writeAppArtifact } from '../sdk/support-app.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from '../sdk/support-python.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { startModelHub } from '../support/model-hub.ts'

const engine = await dockerEngine()
const MODEL_SOURCE = fileURLToPath(new URL('../sdk/python/model_app.py', import.meta.url))
const OURS = fileURLToPath(new URL('../../resources/python', import.meta.url))
// Where containers have our packages, and those of the public one.
const INSIDE = '/opt/drydock/packages'
const PUBLIC = '/opt/public'
// That of the packages, which hold compiled ones.
const IMAGE = 'python:3.11-slim-bookworm'

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

async function setup(context: TestContext, source = APP_SOURCE) {
  if (!packages.ready) context.skip(packages.reason)
  if (!packages.folder.includes('python3.11')) context.skip('the public package is for another Python than the image')
  const service = await startedContainerService(engine)
  const folder = join(service.folder, 'artifact')
  await writeAppArtifact(folder, packages.python, source)
  mkdirSync(join(folder, 'env'))
  const mount = (source: string, target: string) => ({ source, target, readOnly: true })
  const live = { command: `env PYTHONPATH=${INSIDE}:${PUBLIC} python3`, volumes: [mount(packages.folder, PUBLIC)] }
  const deployed = {
    command: `env PYTHONPATH=${INSIDE} python3`,
    volumes: [mount(folder, '/app'), mount(packages.folder, '/app/env')],
  }
  const create = (id: string, program: string, { command, volumes }: typeof live, settings: object) =>
    service.createEndpoint(id, {
      command: `${command} ${program}`,
      workersMax: 1,
      container: { image: IMAGE, volumes: [mount(OURS, INSIDE), ...volumes] },
      ...settings,
    })
  return {
    service,
    live,
    deployed,
    createQueue: (id: string, how: typeof live, env: object, settings: object = {}) =>
      create(id, `-m svc_worker ${INSIDE}/svc_runtime/svc_queue.py`, how, { env, ...settings }),
    createApi: (id: string, how: typeof live, env: object) =>
      create(id, `${INSIDE}/svc_runtime/svc_api.py`, how, { env, loadBalanced: {} }),
  }
}

test('queue functions run deployed and live', async (context) => {
  const { service, live, deployed, createQueue } = await setup(context)
  await createQueue('deployed', deployed, { FLASH_RESOURCE_NAME: 'greet' })
  await createQueue('live', live, { RUNPOD_DEV_RESOURCE: 'greet', RUNPOD_DEV_APP: 'shop' })
  const outputOf = async (id: string, input: object) => (await service.jobEnd(id, await service.run(id, input))).output
  expect(await outputOf('deployed', { name: 'Ada' })).toBe('hello Ada')
  const request = {
    function_name: 'greet',
    function_code: readFileSync(APP_SOURCE, 'utf8'),
    args: ['Bo'],
    serialization_format: 'json',
  }
  expect(await outputOf('live', request)).toEqual([{ success: true, json_result: 'hello Bo', stdout: 'greeting Bo\n' }])
})

test('apis answer deployed and live', async (context) => {
  const { service, live, deployed, createApi } = await setup(context)
  await createApi('web', deployed, { FLASH_RESOURCE_NAME: 'counter' })
  expect(await service.post('/lb/web/bump', { by: 3 })).toEqual({ count: 3 })
  await createApi('dev', live, { RUNPOD_DEV_RESOURCE: 'counter', RUNPOD_DEV_APP: 'shop' })
  const sync = { source: readFileSync(APP_SOURCE, 'utf8'), resource: 'counter' }
  expect(await service.post('/lb/dev/_runpod/sync', sync)).toEqual({ success: true })
  expect(await service.post('/lb/dev/bump', { by: 5 })).toEqual({ count: 5 })
})

test('a model is found at the path of the package and in the cache of the hub', async (context) => {
  const hub = await startModelHub({
    repository: 'acme/tiny',
    files: { 'config.json': '{}', 'weights/part.bin': 'numbers' },
  })
  const { service, deployed, createQueue } = await setup(context, MODEL_SOURCE)
  await service.ask('PATCH', '/api/settings', { modelHub: hub.url, modelsFromPrivateAddresses: true })
  await createQueue('reader', deployed, { FLASH_RESOURCE_NAME: 'reader' }, { model: 'acme/tiny' })
  expect((await service.jobEnd('reader', await service.run('reader', {}))).output).toEqual({
    config: '{}',
    nested: 'numbers',
    path: `/runpod/model-store/huggingface/acme/tiny/${hub.commit}`,
    other: `/runpod/model-store/huggingface/acme/other/${hub.commit}`,
    commit: hub.commit,
    cached: '{}',
    hub: true,
  })
})
