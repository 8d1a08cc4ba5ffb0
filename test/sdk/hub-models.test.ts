/** Models of the hub that endpoints name: brought before workers start, and found by the unmodified package. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import { startModelHub } from '../support/model-hub.ts'
import { writeAppArtifact } from './support-app.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'
import { startService, until } from './support-service.ts'

const RUNTIME = fileURLToPath(new URL('../../resources/python/svc_runtime', import.meta.url))
const SOURCE = fileURLToPath(new URL('python/model_app.py', import.meta.url))
const TINY = {
  repository: 'acme/tiny',
  files: { 'config.json': '{"layers":1}', 'weights/part.bin': 'numbers', '.gitattributes': 'x', 'empty.txt': '' },
}

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

async function setup(context: TestContext, token?: string) {
  if (!packages.ready) context.skip(packages.reason)
  const hub = await startModelHub(token === undefined ? TINY : { ...TINY, token })
  const service = await startService(context)
  await service.call('PATCH', '/api/settings', { modelHub: hub.url, modelsFromPrivateAddresses: true })
  const folder = join(service.folder, 'app')
  await writeAppArtifact(folder, packages.python, SOURCE)
  symlinkSync(packages.folder, join(folder, 'env'))
  const create = (settings: object) =>
    service.createEndpoint({
      id: 'reader',
      name: 'reader',
      handler: join(RUNTIME, 'svc_queue.py'),
      workersMax: 1,
      model: 'acme/tiny',
      ...settings,
      env: {
        RUNPOD_APP_DIR: folder,
        FLASH_RESOURCE_NAME: 'reader',
        ...('env' in settings ? Object(settings.env) : {}),
      },
    })
  const waitingReason = async () =>
    ((await service.call('GET', '/api/endpoints/reader')) as { waitingReason?: string }).waitingReason
  return { hub, service, create, waitingReason }
}

test('a worker that is a process finds the files where the package looks for them, also without the hub', async (context) => {
  const { hub, service, create, waitingReason } = await setup(context)
  hub.hold(true)
  await create({})
  const id = await service.submit('reader', { input: {} })
  const isDownloading = /downloading the model acme\/tiny: 0 of 2 files/
  await until(
    'the reason says how far it is',
    async () => isDownloading.test((await waitingReason()) ?? '') || undefined,
  )
  hub.hold(false)
  const files = join(service.folder, 'data/models/huggingface/hub/models--acme--tiny/snapshots', hub.commit)
  const found = {
    config: '{"layers":1}',
    nested: 'numbers',
    path: files,
    other: `/runpod/model-store/huggingface/acme/other/${hub.commit}`,
    commit: hub.commit,
    cached: '{"layers":1}',
    hub: true,
  }
  expect((await service.waitForStatus('reader', id, 'COMPLETED')).output).toEqual(found)
  // Without hidden and empty files.
  expect(hub.asked.toSorted()).toEqual([
    `/acme/tiny/resolve/${hub.commit}/config.json`,
    `/acme/tiny/resolve/${hub.commit}/weights/part.bin`,
    '/api/models/acme/tiny/revision/main',
  ])
  // Other settings ask again which commit the branch is; what is here is used where nobody answers.
  await hub.close()
  await service.call('PATCH', '/api/endpoints/reader', { env: { ...envOf(service.folder), MODE: 'again' } })
  const again = await service.submit('reader', { input: {} })
  expect((await service.waitForStatus('reader', again, 'COMPLETED')).output).toEqual(found)
})

const envOf = (folder: string) => ({ RUNPOD_APP_DIR: join(folder, 'app'), FLASH_RESOURCE_NAME: 'reader' })

test('a token among the variables lets in to a model that the hub gives to few', async (context) => {
  const { hub, service, create } = await setup(context, 'not-to-be-seen')
  await create({ env: { HF_TOKEN: 'not-to-be-seen' } })
  const id = await service.submit('reader', { input: {} })
  expect((await service.waitForStatus('reader', id, 'COMPLETED')).output).toMatchObject({ commit: hub.commit })
  expect(JSON.stringify(await service.call('GET', '/api/models/downloads'))).not.toContain('not-to-be-seen')
})

test('a model that cannot be had is named, with the reason', async (context) => {
  const { service, create } = await setup(context)
  await create({ model: 'acme/none' })
  await service.submit('reader', { input: {} })
  const { crash } = await until('a worker has failed', async () => {
    const endpoint = (await service.call('GET', '/api/endpoints/reader')) as { crash?: { lastWords: string } }
    return endpoint.crash === undefined ? undefined : endpoint
  })
  expect(crash?.lastWords).toMatch(/^the model acme\/none is not here: 127\.0\.0\.1:\d+ has no such file \(HTTP 404\)$/)
})
