/** Our runtime of 2.0 apps on the real service, asked by the real package. Source: resources/python/svc_runtime. */
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { APP_SOURCE, writeAppArtifact } from './support-app.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'
import { startService, until } from './support-service.ts'

const RUNTIME = fileURLToPath(new URL('../../resources/python/svc_runtime', import.meta.url))
const CLIENTS = fileURLToPath(new URL('python', import.meta.url))
const run = promisify(execFile)

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

/** A service, an artifact of the app, and what starts its workers. */
async function setup(context: TestContext) {
  if (!packages.ready) context.skip(packages.reason)
  const service = await startService(context)
  const folder = join(service.folder, 'app')
  await writeAppArtifact(folder, packages.python)
  symlinkSync(packages.folder, join(folder, 'env'))
  const deployed = (resource: string) => ({ RUNPOD_APP_DIR: folder, FLASH_RESOURCE_NAME: resource })
  const live = (resource: string) => ({
    RUNPOD_DEV_RESOURCE: resource,
    RUNPOD_DEV_APP: 'shop',
    PYTHONPATH: packages.folder,
  })
  return {
    service,
    deployed,
    live,
    createQueue: (id: string, env: Readonly<Record<string, string>>) =>
      service.createEndpoint({ id, name: id, handler: join(RUNTIME, 'svc_queue.py'), workersMax: 1, env }),
    createApi: (id: string, env: Readonly<Record<string, string>>) =>
      service.createEndpoint({
        id,
        name: id,
        command: `python3 ${join(RUNTIME, 'svc_api.py')}`,
        loadBalanced: {},
        workersMax: 1,
        env,
      }),
  }
}

describe.concurrent('a worker of a 2.0 app', () => {
  test('is called by the package, live and deployed', async (context) => {
    const { service, createQueue, deployed, live } = await setup(context)
    await createQueue('live', live('greet'))
    await createQueue('deployed', deployed('greet'))
    const { stdout } = await run(packages.python, [join(CLIENTS, 'app_runtime_client.py'), 'live', 'deployed'], {
      env: { ...process.env, RUNPOD_ENDPOINT_BASE_URL: service.baseUrl, RUNPOD_API_KEY: service.key },
    })
    expect(JSON.parse(stdout)).toEqual({
      live: 'hello Ada',
      'live async': 'hello Bo',
      'live generator': [0, 1, 2],
      'live stream': [0, 1],
      'live error': expect.stringMatching(/^remote execution failed: Traceback .*\nValueError: asked to break$/s),
      deployed: 'hello Ada',
      'deployed error': 'remote execution failed: greet: missing argument name; it takes greet(name: str)',
    })
    const lines = (await service.logsOfEndpoint('deployed')).map(({ line }) => line)
    expect(lines).toContain('greeting Ada')
  })

  test('serves an api at its routes, deployed and live', async (context) => {
    const { service, createApi, deployed, live } = await setup(context)
    await createApi('web', deployed('counter'))
    expect(await service.call('POST', '/lb/web/bump', { by: 3 })).toEqual({ count: 3 })
    expect(await service.call('POST', '/lb/web/bump', {})).toEqual({ count: 4 })
    await createApi('dev', live('counter'))
    const sync = { source: readFileSync(APP_SOURCE, 'utf8'), resource: 'counter', dependencies: [] }
    expect(await service.call('POST', '/lb/dev/_runpod/sync', sync)).toEqual({ success: true })
    expect(await service.call('POST', '/lb/dev/bump', { by: 5 })).toEqual({ count: 5 })
  })

  test('that cannot start says why in its log', async (context) => {
    const { service, createQueue, deployed } = await setup(context)
    await createQueue('broken', deployed('nothing'))
    await service.submit('broken', { input: {} })
    const line = await until('the reason is in the log', async () =>
      (await service.logsOfEndpoint('broken')).find((entry) => entry.line.includes('has no resource "nothing"')),
    )
    expect(line.line).toMatch(/; it has greet, greet_async, count, broken, counter$/)
  })
})
