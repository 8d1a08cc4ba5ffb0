import { describe, expect, it } from 'vitest'
import { type ManifestResource, manifestResource } from '../../../../src-main/contract/manifest.ts'
import {
  codeFolder,
  type TargetContext,
  targetConfig,
} from '../../../../src-main/features/apps/rules/endpoint-config.ts'
import { planDeploy } from '../../../../src-main/features/apps/rules/plan.ts'

const resource = (more: Partial<ManifestResource> = {}): ManifestResource =>
  manifestResource.parse({
    is_load_balanced: false,
    workersMin: 0,
    workersMax: 1,
    gpuCount: 1,
    env: {},
    functions: [],
    idleTimeout: 60,
    scalerType: 'QUEUE_DELAY',
    scalerValue: 4,
    executionTimeoutMs: 0,
    maxConcurrency: 1,
    handlerFile: 'handler_hello.py',
    makesRemoteCalls: false,
    networkVolumes: [],
    systemDependencies: [],
    ...more,
  })

const place = (more: Partial<TargetContext> = {}): TargetContext => ({
  app: 'shop',
  environment: 'production',
  folder: '/data/releases/1',
  code: 'a'.repeat(64),
  variables: 0,
  runsOn: 'containers',
  pythonVersion: '3.12',
  imageRequirements: [],
  volumeFolder: (name) => `/data/volumes/${name}`,
  graphOf: (_name, { behind }) => ({ behind, version: 1 }),
  pythonPackages: '/drydock/python',
  ...more,
})

const next = place({ folder: '/data/releases/2' })
const configs = (resources: Record<string, ManifestResource>, at: TargetContext) =>
  Object.fromEntries(Object.entries(resources).map(([name, one]) => [name, targetConfig(name, one, at)]))
const current = (resources: Record<string, ManifestResource>, at = place()) =>
  Object.entries(configs(resources, at)).map(([name, config]) => ({ resource: name, endpointId: `${name}-id`, config }))

describe('the plan of a deploy', () => {
  it('creates what is new, deletes what is gone, and says so in the order of the manifest', () => {
    const steps = planDeploy(current({ old: resource() }), configs({ b: resource(), a: resource() }, next))
    expect(steps.map(({ resource: name, action, endpointId }) => [name, action, endpointId])).toEqual([
      ['b', 'create', undefined],
      ['a', 'create', undefined],
      ['old', 'delete', 'old-id'],
    ])
  })

  it('leaves an endpoint alone whose code and settings are the same, although the folder is another', () => {
    const [step] = planDeploy(current({ hello: resource() }), configs({ hello: resource() }, next))
    expect(step).toEqual({
      resource: 'hello',
      action: 'unchanged',
      endpointId: 'hello-id',
      changes: [],
      replacesWorkers: false,
    })
  })

  it('leaves fault switches, which a person has set, out of account', () => {
    const before = current({ hello: resource() }).map((endpoint) => ({
      ...endpoint,
      config: { ...endpoint.config, faults: { failPercent: 20 } },
    }))
    expect(planDeploy(before, configs({ hello: resource() }, place()))).toMatchObject([{ action: 'unchanged' }])
  })

  it('shows a change of code as one, and replaces the workers', () => {
    const changed = place({ folder: '/data/releases/2', code: 'b'.repeat(64) })
    const [step] = planDeploy(current({ hello: resource() }), configs({ hello: resource() }, changed))
    expect(step).toMatchObject({
      action: 'update',
      replacesWorkers: true,
      changes: [{ setting: 'code', from: 'aaaaaaaaaaaa', to: 'bbbbbbbbbbbb' }],
    })
  })

  it('leaves an endpoint alone whose own code is the same, although other code of the app changed', () => {
    const changed = place({ folder: '/data/releases/2', code: 'b'.repeat(64) })
    const before = { hello: resource({ fingerprint: 'h1' }), shout: resource({ fingerprint: 's1' }) }
    const after = { hello: resource({ fingerprint: 'h1' }), shout: resource({ fingerprint: 's2' }) }
    expect(planDeploy(current(before), configs(after, changed))).toMatchObject([
      { resource: 'hello', action: 'unchanged' },
      { resource: 'shout', action: 'update', changes: [{ setting: 'code' }], replacesWorkers: true },
    ])
  })

  it('all code counts for an endpoint of which one release does not know its own', () => {
    const changed = place({ folder: '/data/releases/2', code: 'b'.repeat(64) })
    const before = current({ hello: resource() })
    expect(planDeploy(before, configs({ hello: resource({ fingerprint: 'h1' }) }, changed))).toMatchObject([
      { action: 'update', changes: [{ setting: 'code', from: 'aaaaaaaaaaaa', to: 'bbbbbbbbbbbb' }] },
    ])
    expect(planDeploy(before, configs({ hello: resource({ fingerprint: 'h1' }) }, next))).toMatchObject([
      { action: 'unchanged' },
    ])
  })

  it('replaces no worker for a change of limits alone', () => {
    const [step] = planDeploy(current({ hello: resource() }), configs({ hello: resource({ workersMax: 5 }) }, next))
    expect(step).toMatchObject({
      action: 'update',
      replacesWorkers: false,
      changes: [{ setting: 'workersMax', from: 1, to: 5 }],
    })
  })

  it('says that a variable of the source changes and never what it is', () => {
    const [step] = planDeploy(
      current({ hello: resource({ env: { TOKEN: 'old secret', GONE: 'x' } }) }),
      configs({ hello: resource({ env: { TOKEN: 'new secret' } }) }, next),
    )
    expect(step?.changes).toEqual([
      { setting: 'env.TOKEN', from: '(hidden)', to: '(hidden)' },
      { setting: 'env.GONE', from: '(hidden)', to: undefined },
    ])
    expect(JSON.stringify(step)).not.toContain('secret')
  })

  it('other variables of the environment replace the workers, shown by their version', () => {
    const [step] = planDeploy(current({ hello: resource() }), configs({ hello: resource() }, place({ variables: 3 })))
    expect(step).toMatchObject({
      action: 'update',
      replacesWorkers: true,
      changes: [{ setting: 'variables', from: 'version 0', to: 'version 3' }],
    })
  })

  it('names the part of the container that changes', () => {
    const [step] = planDeploy(
      current({ hello: resource({ instanceIds: ['cpu3c-1-2'] }) }),
      configs({ hello: resource({ instanceIds: ['cpu3c-2-4'] }) }, next),
    )
    expect(step).toMatchObject({
      replacesWorkers: true,
      changes: [{ setting: 'container.cpu', from: 'cpu3c-1-2', to: 'cpu3c-2-4' }],
    })
  })
})

describe('the settings of an endpoint of an app', () => {
  it('truncates a name that is too long, and reports it', () => {
    const { name, app } = targetConfig('a'.repeat(90), resource(), place())
    expect([name.length, name.at(-1)]).toEqual([100, '…'])
    expect(app?.resource).toBe('a'.repeat(90))
  })

  it('a function is a handler of the release, with the app and the environment in its variables', () => {
    expect(targetConfig('hello', resource({ env: { A: '1' } }), place({ variables: 2 }))).toMatchObject({
      name: 'hello (shop/production)',
      handler: '/data/releases/1/handler_hello.py',
      idleTimeoutMs: 60_000,
      env: { A: '1', SVC_APP: 'shop', SVC_ENV: 'production', SVC_RESOURCE: 'hello' },
      container: { volumes: [], python: '3.12' },
      app: { name: 'shop', environment: 'production', resource: 'hello', code: 'a'.repeat(64), variables: 2 },
    })
  })

  it('routes are a program that listens, on the code of the release', () => {
    const web = resource({ is_load_balanced: true, handlerFile: 'handler_web.py', scalerType: 'REQUEST_COUNT' })
    expect(targetConfig('web', web, place())).toMatchObject({
      command: 'python3 /app/handler_web.py',
      loadBalanced: { port: 80 },
      container: { volumes: [{ source: '/data/releases/1', target: '/app', readOnly: true }] },
    })
    expect(targetConfig('web', web, place({ runsOn: 'processes' }))).toMatchObject({
      command: 'python3 handler_web.py',
      cwd: '/data/releases/1',
    })
  })

  it('a ready image is a container whatever else runs as processes', () => {
    const image = resource({ handlerFile: undefined, imageName: 'somebody/worker:1' })
    expect(targetConfig('ready', image, place({ runsOn: 'processes' }))).toMatchObject({
      container: { image: 'somebody/worker:1' },
    })
  })

  it('cards, CPUs and volumes become those of the container', () => {
    const gpu = resource({ gpuIds: 'ADA_24', gpuCount: 2, networkVolumes: [{ name: 'models' }] })
    expect(targetConfig('gpu', gpu, place()).container).toMatchObject({
      gpu: 'ADA_24',
      gpuCount: 2,
      volumes: [{ source: '/data/volumes/models', target: '/runpod-volume', readOnly: false }],
    })
    expect(targetConfig('cpu', resource({ instanceIds: ['cpu3g-2-8'] }), place()).container).toMatchObject({
      cpu: 'cpu3g-2-8',
    })
  })

  it('a time limit that the job API does not have becomes the nearest one that it has', () => {
    expect(targetConfig('hello', resource({ executionTimeoutMs: 10 }), place()).executionTimeoutMs).toBe(5000)
    expect(targetConfig('hello', resource(), place()).executionTimeoutMs).toBe(600_000)
  })

  it.each([
    ['a handler', {}],
    ['routes', { is_load_balanced: true }],
  ])('the folder of its code is found in them again: %s', (_what, more) => {
    for (const runsOn of ['containers', 'processes'] as const)
      expect(codeFolder(targetConfig('hello', resource(more), place({ runsOn })))).toBe('/data/releases/1')
  })

  it('a ready image has no folder of code', () => {
    const image = resource({ handlerFile: undefined, imageName: 'somebody/worker:1' })
    expect(codeFolder(targetConfig('ready', image, place()))).toBeUndefined()
  })
})
