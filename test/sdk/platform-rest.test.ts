/** The management API v2, asked by the public package itself. Source: docs/spec/platform.md, 5. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'
import { startService } from './support-service.ts'

const SCRIPT = fileURLToPath(new URL('python/platform_rest.py', import.meta.url))
const LINE = 'said hello'
const HANDLER = `def handler(job):\n    print("${LINE}", flush=True)\n    return 1\n`

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

test('the public package makes, changes, watches and deletes endpoints', async (context) => {
  if (!packages.ready) context.skip(packages.reason)
  const { url, key, folder, createEndpoint, runSync } = await startService(context)
  const handler = join(folder, 'handler.py')
  writeFileSync(handler, HANDLER)
  const { id: endpointId } = await createEndpoint({ name: 'talker', handler, idleTimeoutMs: 60_000 })
  const { workerId } = await runSync(endpointId, { input: {} })
  const image = 'runpod/queue:py3.12-latest'
  const argument = JSON.stringify({ url, key, endpointId, workerId, image, line: LINE })
  // HOME, because the package reads keys of the platform there.
  const env = { ...process.env, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)(packages.python, [SCRIPT, argument], { env })
  expect(JSON.parse(stdout)).toEqual({
    classic: {
      made: {
        id: 'classic',
        image: 'ghcr.io/ada/echo:1',
        env: { A: '1' },
        gpu: {
          pools: ['ADA_24'],
          excludedTypes: ['NVIDIA L4'],
          count: 1,
          allowedCudaVersions: [],
          minCudaVersion: null,
        },
        workers: { min: 0, max: 2, idleTimeout: 5 },
        templateId: expect.any(String),
      },
      changed: 'ghcr.io/ada/echo:2',
      listed: true,
      registry: [{ id: 'work', name: 'work' }, true],
      gpus: true,
      pods: [],
      bad: { status: 400, message: 'name: must not be empty.', errors: ['name: must not be empty'] },
    },
    apps: {
      volumes: [true],
      places: true,
      stock: 'HIGH',
      saved: {
        image,
        env: { RUNPOD_DEV_GENERATION: '1' },
        cpu: [{ id: 'cpu3g', vcpuCount: 2, memory: 8 }],
        dataCenterIds: ['EU-RO-1', 'US-CA-2'],
        timeout: 0,
        type: 'QUEUE',
      },
      again: { RUNPOD_DEV_GENERATION: '2' },
      listed: true,
      workers: true,
      deleted: true,
    },
    lines: { followed: true, snapshot: true },
    unauthorized: true,
  })
})
