/** Packages of the system that live calls ask for: settings of their endpoint before they are queued. */
import { describe, expect, it } from 'vitest'
import { setup, type TestService } from '../support/core.ts'

const LIVE = {
  handler: undefined,
  command: 'env python3 -m svc_worker live.py',
  container: {},
  env: { RUNPOD_DEV_RESOURCE: 'e' },
}
const REQUEST = { function_name: 'f', function_code: 'def f(): pass', system_dependencies: ['jq', 'ffmpeg'] }

const packagesOf = async (service: TestService) => (await service.get('/api/endpoints/e')).container?.systemPackages

describe('packages of the system that a live call asks for', () => {
  it('are settings before the call is queued, and a worker without them does not get it', async () => {
    const service = await setup()
    await service.createEndpoint('e', LIVE)
    const { jobId: first, worker: old } = await service.running()
    await old.done(first, { output: 1 })
    const waits = old.take()
    const id = await service.run(REQUEST)
    expect(await packagesOf(service)).toEqual(['jq', 'ffmpeg'])
    expect(await waits).toBeUndefined()
    const next = await service.worker('e', [old])
    expect((await next.take())?.id).toBe(id)
    // The next call asks for what is there.
    const { revision } = await service.get('/api/endpoints/e')
    await service.run({ ...REQUEST, system_dependencies: ['ffmpeg'] })
    expect((await service.get('/api/endpoints/e')).revision).toBe(revision)
  })

  it('are added to those of before; what is no name of a package is left to the worker', async () => {
    const service = await setup()
    await service.createEndpoint('e', { ...LIVE, container: { systemPackages: ['git'] } })
    await service.run({ ...REQUEST, system_dependencies: ['jq', '$(reboot)', 7, 'git', 'jq'] })
    expect(await packagesOf(service)).toEqual(['git', 'jq'])
  })

  it('change nothing of a process, of an image of the user, and of an endpoint that is not live', async () => {
    const service = await setup()
    const others = [
      { ...LIVE, container: undefined },
      { ...LIVE, container: { image: 'python:3.12' } },
      { ...LIVE, env: {} },
    ]
    for (const [at, settings] of others.entries()) {
      const id = `e${at}`
      await service.createEndpoint(id, settings)
      const before = await service.get(`/api/endpoints/${id}`)
      await service.run(REQUEST, {}, id)
      expect((await service.get(`/api/endpoints/${id}`)).container).toEqual(before.container)
    }
  })
})
