/**
 * The parts of the 2.0 app runtime that exist only in containers: the folder of our packages and the artifact are
 * mounted, and nothing is built. test/sdk/app-runtime.test.ts tests the rest, test/docker/own-build.test.ts tests built
 * apps.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { writeAppArtifact } from '../sdk/support-app.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from '../sdk/support-python.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { startModelHub } from '../support/model-hub.ts'

const engine = await dockerEngine()
const MODEL_SOURCE = fileURLToPath(new URL('../sdk/python/model_app.py', import.meta.url))
const OURS = fileURLToPath(new URL('../../resources/python', import.meta.url))
// Path of our packages in containers.
const INSIDE = '/opt/drydock/packages'
// That of the packages, which hold compiled ones.
const IMAGE = 'python:3.11-slim-bookworm'

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('the app finds a model at the path from the package and in the hub cache', async (context) => {
  if (!packages.ready) context.skip(packages.reason)
  if (!packages.folder.includes('python3.11')) context.skip('the public package is for another Python than the image')
  const hub = await startModelHub({
    repository: 'acme/tiny',
    files: { 'config.json': '{}', 'weights/part.bin': 'numbers' },
  })
  const service = await startedContainerService(engine)
  const artifact = join(service.folder, 'artifact')
  await writeAppArtifact(artifact, packages.python, MODEL_SOURCE)
  mkdirSync(join(artifact, 'env'))
  await service.ask('PATCH', '/api/settings', { modelHub: hub.url, modelsFromPrivateAddresses: true })
  const mount = (source: string, target: string) => ({ source, target, readOnly: true })
  await service.createEndpoint('reader', {
    command: `env PYTHONPATH=${INSIDE} python3 -m svc_worker ${INSIDE}/svc_runtime/svc_queue.py`,
    workersMax: 1,
    container: {
      image: IMAGE,
      volumes: [mount(OURS, INSIDE), mount(artifact, '/app'), mount(packages.folder, '/app/env')],
    },
    env: { FLASH_RESOURCE_NAME: 'reader' },
    model: 'acme/tiny',
  })
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
