import { describe, expect, it } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { createPreparedWorkers } from '../../../../src-main/features/workers/prepared-workers.ts'
import type { WorkerSpec } from '../../../../src-main/runtimes/port.ts'
import type { Endpoint } from '../../../../src-main/storage/storage.ts'

/** A pool, the workers that its fleet has made, and endpoints for it. */
function setup() {
  const made = new Set<string>()
  let last = 0
  const id = () => `id-${++last}`
  const note = () => undefined
  const pool = createPreparedWorkers(
    {
      prepare: async ({ workerId }) => void made.add(workerId),
      stop: async (workerId) => void made.delete(workerId),
    },
    { uuid: id, worker: id, key: id, hash: () => new Uint8Array(), sameHash: () => false },
    { info: note, warn: note, error: note },
  )
  const endpoint = (settings: object, revision = 1): Endpoint => ({
    id: 'e',
    config: endpointConfig.parse({ name: 'e', container: containerSettings.parse({ image: 'x', ...settings }) }),
    paused: false,
    keyHash: new Uint8Array(),
    revision,
    createdAt: 0,
    updatedAt: 0,
  })
  const fill = async (of: Endpoint) => {
    pool.fill(of, ({ workerId }) => ({ workerId }) as WorkerSpec)
    await Promise.resolve()
  }
  return { pool, made, endpoint, fill }
}

describe('containers that are created in advance', () => {
  it('are as many as the endpoint wants, and the next workers get them', async () => {
    const { pool, made, endpoint, fill } = setup()
    await fill(endpoint({ prepared: 2 }))
    expect(made.size).toBe(2)
    const taken = [pool.take(endpoint({})), pool.take(endpoint({}))].map(({ workerId }) => workerId)
    expect(taken.toSorted()).toEqual([...made].toSorted())
    expect(made.has(pool.take(endpoint({})).workerId)).toBe(false)
  })

  it.each([
    ['none are wanted', { prepared: 0 }],
    ['cards are given out with them', { gpu: 'ANY' }],
    ['the image is always pulled, and they could be of an old one', { pull: 'always' }],
  ])('are none where %s', async (_name, settings) => {
    const { made, endpoint, fill } = setup()
    await fill(endpoint(settings))
    expect(made.size).toBe(0)
  })

  it('go when the settings have changed', async () => {
    const { pool, made, endpoint, fill } = setup()
    await fill(endpoint({}))
    const [old = ''] = made
    expect(pool.take(endpoint({}, 2)).workerId).not.toBe(old)
    await fill(endpoint({}, 2))
    await expect.poll(() => made.has(old)).toBe(false)
    expect(made.size).toBe(1)
  })
})
