import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { createDockerFleet } from '../../../../src-main/runtimes/docker/docker-fleet.ts'
import { localHost } from '../../../../src-main/runtimes/docker/engine-host.ts'
import { silent } from '../../../conformance/process-place.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const GPU = containerSettings.parse({ gpu: 'ANY' })

test('a missing engine is reported before a missing GPU, even if no worker was started yet', async () => {
  const time = createFakeClock()
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { DOCKER_HOST: `unix://${folder}/docker.sock` }
  const surroundings = { env, home: folder, platform: process.platform }
  const local = localHost({
    surroundings,
    pythonPath: folder,
    bundle: async () => folder,
    openForWorkers: async () => ({ port: 1 }),
  })
  const fleet = createDockerFleet({
    clock: { now: time.wall, steady: time.monotonic, after: time.after },
    log: silent,
    place: {
      ...local,
      addresses: () => [],
      gpuReader: { inventory: async () => ({ cards: [] }), processes: async () => [] },
    },
    folder,
    maxWorkers: () => 1,
    resources: folder,
    version: '0',
    registryAuth: () => undefined,
    surroundings,
    state: { serviceId: () => 'test', used: () => false, setUsed: async () => undefined },
  })
  onTestFinished(() => fleet.close())
  const { promise: read, resolve } = Promise.withResolvers<void>()
  fleet.onCapacity(resolve)
  expect(fleet.capacity({ container: GPU })).toMatchObject({ free: 0, reason: 'looking for GPUs' })
  await read
  expect(fleet.capacity({ container: GPU })).toMatchObject({
    free: 0,
    reason: expect.stringContaining('no Docker engine answers'),
    never: true,
  })
  // The first worker looks for the engine.
  expect(fleet.capacity({ container: containerSettings.parse({}) })).toMatchObject({ free: 1 })
})
