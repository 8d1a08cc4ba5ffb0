import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { OPTIONAL_FEATURES, type OptionalFeature, type OptionalFeatures } from '../../src-main/app/optional-features.ts'
import { setup } from '../support/core.ts'
import { missing, withoutFeature } from '../support/without-feature.ts'

/** A list or a view of each feature. */
const VIEWS: Readonly<Record<OptionalFeature, string>> = {
  comparisons: '/api/comparisons',
  'load tests': '/api/endpoints/e/load-tests',
  "the platform's management API": '/v2/templates',
  pods: '/v2/pods',
  projects: '/api/projects',
  schedules: '/api/schedules',
  targets: '/api/targets',
  'what-if questions': '/api/prices',
  'worker images': '/api/image-pushes',
}
const BOX = { name: 'box', way: { kind: 'ssh', to: 'me@box' }, swarm: false } as const
const NAMES = Object.keys(VIEWS) as OptionalFeature[]

describe.each(NAMES)('a service without %s', (name) => {
  it('runs jobs and answers all other features; its routes say what is missing, and so does the log', async () => {
    const service = await setup({ features: withoutFeature(name) })
    await service.createEndpoint()
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    await service.waitForJob(jobId, 'COMPLETED')

    const answers = await Promise.all(NAMES.map((one) => service.ask('GET', VIEWS[one])))
    expect(answers.map(({ status }) => status)).toEqual(NAMES.map((one) => (one === name ? 501 : 200)))
    const { body } = answers[NAMES.indexOf(name)] as (typeof answers)[number]
    expect(body).toMatchObject({ code: 'FEATURE_MISSING', detail: expect.stringContaining(name) })
    expect(service.log.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a feature could not be loaded', fields: { feature: name } },
    ])
  })
})

describe('a service without the drivers of other machines', () => {
  it('runs jobs here, and says what is missing to those who add a machine', async () => {
    const service = await setup({
      withoutMachines: missing,
      storage: (storage) => {
        storage.machines.add({ ...BOX, id: 'box', addedAt: 1 })
        return storage
      },
    })
    await service.createEndpoint()
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    await service.waitForJob(jobId, 'COMPLETED')
    const added = await service.ask('POST', '/api/machines', { body: { ...BOX, name: 'other' } })
    expect(added).toMatchObject({ status: 501, body: { code: 'FEATURE_MISSING' } })
    // At the start, for the stored machine, and for the new one.
    expect(service.log.filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

/** The optional features, and the names of those that were loaded, in order. */
function watched(): { readonly features: OptionalFeatures; readonly loaded: OptionalFeature[] } {
  const loaded: OptionalFeature[] = []
  const rows = NAMES.map((name) => {
    const load = () => {
      loaded.push(name)
      return OPTIONAL_FEATURES[name].load()
    }
    return [name, { ...OPTIONAL_FEATURES[name], load }]
  })
  return { features: Object.fromEntries(rows), loaded }
}

describe('an optional feature', () => {
  it('loads once, with its first requests, and at a start only if stored work waits for it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-features-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { features, loaded } = watched()
    const service = await setup({ features, file: join(folder, 'drydock.db') })
    await service.createEndpoint()
    await service.run()
    expect(loaded).toEqual([])

    const views = ['load tests', 'schedules', 'schedules'] as const
    await Promise.all(views.map((name) => service.get(VIEWS[name])))
    expect(loaded).toEqual(['load tests', 'schedules'])

    await service.restart('in order')
    expect(loaded.splice(0)).toEqual(['load tests', 'schedules'])
    await service.post('/api/endpoints/e/schedules', { name: 'often', everyMs: 60_000, request: { input: {} } })
    await service.restart('in order')
    expect(loaded).toEqual(['schedules', 'schedules'])
  })
  it('that could not start does so with the next request', async () => {
    const { storage, ask } = await setup()
    const stored = storage() as { write: ReturnType<typeof storage>['write'] }
    const { write } = stored
    stored.write = () => Promise.reject(new Error('full'))
    expect((await ask('GET', VIEWS['load tests'])).status).toBe(500)
    stored.write = write
    expect((await ask('GET', VIEWS['load tests'])).status).not.toBe(500)
  })
})
