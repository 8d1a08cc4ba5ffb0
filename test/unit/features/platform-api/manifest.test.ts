import { describe, expect, it, test } from 'vitest'
import { manifest } from '../../../../src-main/contract/manifest.ts'
import { platformManifest } from '../../../../src-main/contract/platform-manifest.ts'
import {
  fromPlatformManifest,
  isPlatformManifest,
  type SavedEndpoint,
  withSaved,
} from '../../../../src-main/features/platform-api/rules/manifest.ts'

const BUILD = 'a'.repeat(64)

/** The manifest of ours for one resource of 2.0, and that resource. */
function converted(resource: object, saved?: SavedEndpoint, more: object = {}) {
  const found = platformManifest.parse({
    version: 1,
    app: 'shop',
    pythonVersion: '3.12',
    resources: [{ kind: 'queue', name: 'adder', module: 'main', ...resource }],
    ...more,
  })
  const ours = withSaved(fromPlatformManifest(found, BUILD), new Map(saved === undefined ? [] : [[saved.name, saved]]))
  const [first] = Object.values(ours.resources)
  if (first === undefined) throw new Error('it has no resource')
  return { ours, resource: first }
}

describe('a resource of 2.0 in our form', () => {
  it('is a manifest as any', () => {
    const { ours, resource } = converted({ instanceIds: ['cpu3c-1-2'] }, undefined, { excludedPackages: ['torch'] })
    expect(manifest.parse(ours)).toEqual(ours)
    expect(ours).toMatchObject({
      app: 'shop',
      python_version: '3.12',
      source_fingerprint: BUILD,
      image_requirements: ['torch'],
      routes: {},
      function_registry: { adder: 'adder' },
    })
    expect(resource).toMatchObject({
      sdk: 2,
      is_load_balanced: false,
      workersMin: 0,
      workersMax: 1,
      idleTimeout: 60,
      instanceIds: ['cpu3c-1-2'],
      functions: [{ name: 'adder', module: 'main' }],
      scalerType: 'QUEUE_DELAY',
      scalerValue: 4,
      makesRemoteCalls: true,
    })
    expect(resource).not.toHaveProperty('gpuIds')
    expect(resource).not.toHaveProperty('imageName')
  })

  it('has the routes of an api as functions, and counts its requests', () => {
    const routes = [
      { method: 'GET', path: '/hello', handler: 'Web.hello' },
      { method: 'POST', path: '/order', handler: 'Web.order' },
    ]
    const { ours, resource } = converted({ kind: 'api', name: 'web', routes })
    expect(ours.routes).toEqual({ web: { 'GET /hello': 'Web.hello', 'POST /order': 'Web.order' } })
    expect(resource).toMatchObject({
      is_load_balanced: true,
      scalerType: 'REQUEST_COUNT',
      functions: [
        { name: 'Web.hello', http_method: 'GET', http_path: '/hello' },
        { name: 'Web.order', http_method: 'POST', http_path: '/order' },
      ],
    })
  })

  it('is left out where it is a task', () => {
    const found = platformManifest.parse({
      version: 1,
      app: 'shop',
      pythonVersion: '3.12',
      resources: [
        { kind: 'task', name: 'nightly' },
        { kind: 'queue', name: 'adder' },
      ],
    })
    expect(Object.keys(fromPlatformManifest(found, BUILD).resources)).toEqual(['adder'])
  })

  it('has an image of its own, and not the one of the runtime', () => {
    expect(converted({ imageName: 'ghcr.io/ada/base:1' }).resource.imageName).toBe('ghcr.io/ada/base:1')
    expect(converted({ imageName: 'runpod/queue-gpu:py3.12-latest' }).resource.imageName).toBeUndefined()
    const saved = (imageName: string) => ({ name: 'adder', template: { imageName } })
    expect(converted({}, saved('ghcr.io/ada/base:2')).resource.imageName).toBe('ghcr.io/ada/base:2')
    expect(converted({}, saved('runpod/queue:py3.12-latest')).resource.imageName).toBeUndefined()
  })

  it('has cards, places, packages of the system, and volumes', () => {
    const { resource } = converted({
      gpus: ['ADA_24', 'AMPERE_24'],
      gpuCount: 2,
      minCudaVersion: '12.4',
      locations: 'EU-RO-1,US-TX-3',
      systemDependencies: ['ffmpeg'],
      flashboot: false,
      mounts: [{ kind: 'network', reference: 'models', path: '/models' }],
    })
    expect(resource).toMatchObject({
      gpuIds: 'ADA_24,AMPERE_24',
      gpuCount: 2,
      minCudaVersion: '12.4',
      dataCenterIds: ['EU-RO-1', 'US-TX-3'],
      systemDependencies: ['ffmpeg'],
      flashboot: false,
      networkVolumes: [{ name: 'models' }],
    })
  })

  it('keeps its variables but those that the service sets', () => {
    const set = ['RUNPOD_MAX_CONCURRENCY', 'RUNPOD_RUNTIME_KIND', 'PORT', 'PORT_HEALTH']
    const env = Object.fromEntries([...set, 'COLOUR', 'RUNPOD_INIT_TIMEOUT'].map((name) => [name, 'x']))
    const saved = { name: 'adder', template: { env: [...set, 'SIZE'].map((key) => ({ key, value: 'y' })) } }
    expect(converted({ env }, saved).resource.env).toEqual({ COLOUR: 'x', RUNPOD_INIT_TIMEOUT: 'x', SIZE: 'y' })
  })

  it('is as a tool has saved it, and as the manifest says where that says nothing', () => {
    const found = { workersMin: 1, workersMax: 9, idleTimeout: 5, scalerValue: 7, executionTimeoutMs: 1000 }
    expect(converted({ ...found, gpus: ['ADA_24'] }).resource).toMatchObject({ ...found, gpuIds: 'ADA_24' })
    const nulls = { workersMin: null, workersMax: null, idleTimeout: null, scalerType: null, scalerValue: null }
    expect(converted(found, { name: 'adder', ...nulls, template: null }).resource).toMatchObject(found)
    const saved = {
      name: 'adder',
      workersMin: 0,
      workersMax: 2,
      idleTimeout: 60,
      scalerType: 'REQUEST_COUNT',
      scalerValue: 1,
      executionTimeoutMs: 0,
      gpuIds: 'AMPERE_80,-NVIDIA A100-SXM4-80GB',
      gpuCount: 4,
    }
    const { name: _name, ...wanted } = saved
    expect(converted({ ...found, gpus: ['ADA_24'] }, saved).resource).toMatchObject(wanted)
  })

  it('has no cards where it was saved for processors, and the reverse', () => {
    const cpu = converted({ gpus: ['ADA_24'] }, { name: 'adder', instanceIds: ['cpu5c-2-4'] }).resource
    expect(cpu).toMatchObject({ instanceIds: ['cpu5c-2-4'] })
    expect(cpu).not.toHaveProperty('gpuIds')
    const gpu = converted({ instanceIds: ['cpu3c-1-2'] }, { name: 'adder', gpuIds: 'ADA_24' }).resource
    expect(gpu).toMatchObject({ gpuIds: 'ADA_24' })
    expect(gpu).not.toHaveProperty('instanceIds')
  })

  it('is untouched by what was saved for another', () => {
    expect(converted({ workersMax: 9 }, { name: 'other', workersMax: 1 }).resource.workersMax).toBe(9)
  })
})

test.each([
  [{ resources: [] }, true],
  [{ resources: {} }, false],
  [{}, false],
  [null, false],
  ['resources', false],
])('%j is a manifest of 2.0: %s', (value, wanted) => {
  expect(isPlatformManifest(value)).toBe(wanted)
})
