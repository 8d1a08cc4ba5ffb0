import { expect, test } from 'vitest'
import { manifest } from '../../../../src-main/contract/manifest.ts'
import type { ScannedEndpoint } from '../../../../src-main/contract/scan.ts'
import { makeManifest } from '../../../../src-main/features/apps/rules/manifest.ts'
import { scanned, scannedFunction, scanOf } from './scan-support.ts'

const made = (...endpoints: readonly ScannedEndpoint[]) =>
  makeManifest({
    app: 'demo',
    scan: scanOf({ endpoints: [...endpoints] }),
    pythonVersion: '3.12',
    fingerprint: 'ab',
    imageRequirements: ['numpy>=1', 'torch'],
    generatedAt: '2026-01-02T03:04:05.000Z',
  })

test('an endpoint that says nothing gets the defaults of the specification', () => {
  const found = made(scanned())
  expect(found).toEqual({
    version: '1.0',
    app: 'demo',
    python_version: '3.12',
    generated_at: '2026-01-02T03:04:05.000Z',
    source_fingerprint: 'ab',
    image_requirements: ['numpy>=1', 'torch'],
    resources: {
      greet: {
        is_load_balanced: false,
        workersMin: 0,
        workersMax: 1,
        gpuIds: 'any',
        gpuCount: 1,
        env: {},
        functions: [{ name: 'greet', module: 'worker', is_async: false, is_generator: false, is_class: false }],
        idleTimeout: 60,
        scalerType: 'QUEUE_DELAY',
        scalerValue: 4,
        executionTimeoutMs: 0,
        maxConcurrency: 1,
        handlerFile: 'handler_greet.py',
        makesRemoteCalls: false,
        networkVolumes: [],
        systemDependencies: [],
      },
    },
    routes: {},
    function_registry: { greet: 'greet' },
  })
  expect(manifest.parse(found)).toEqual(found)
})

test('everything that the source says is in the manifest', () => {
  const settings = {
    gpu: ['ADA_24', 'NVIDIA L4'],
    workers: [1, 5] as [number, number],
    idle_timeout: 5,
    env: { A: 'b' },
    volume: { name: 'models', size: 50, datacenter: 'EU-RO-1' },
    gpu_count: 2,
    execution_timeout_ms: 9000,
    scaler_type: 'REQUEST_COUNT' as const,
    scaler_value: 7,
    max_concurrency: 3,
    min_cuda_version: '12.8',
    system_dependencies: ['ffmpeg'],
    datacenter: 'EU-RO-1',
    flashboot: false,
    template: { containerDiskInGb: 20 },
  }
  const found = made(scanned({ settings }))
  expect(found.resources.greet).toMatchObject({
    gpuIds: 'ADA_24,NVIDIA L4',
    gpuCount: 2,
    workersMin: 1,
    workersMax: 5,
    idleTimeout: 5,
    env: { A: 'b' },
    networkVolumes: [{ name: 'models', size: 50, dataCenterId: 'EU-RO-1' }],
    executionTimeoutMs: 9000,
    scalerType: 'REQUEST_COUNT',
    scalerValue: 7,
    maxConcurrency: 3,
    minCudaVersion: '12.8',
    systemDependencies: ['ffmpeg'],
    dataCenterIds: ['EU-RO-1'],
    flashboot: false,
    template: { containerDiskInGb: 20 },
  })
  expect(manifest.parse(found)).toEqual(found)
})

test('an endpoint on CPUs asks for no card', () => {
  const resource = made(scanned({ settings: { cpu: ['cpu3c-1-2', 'cpu3g-1-4'] } })).resources.greet
  expect(resource).toMatchObject({ instanceIds: ['cpu3c-1-2', 'cpu3g-1-4'] })
  expect(resource).not.toHaveProperty('gpuIds')
})

test('a load-balanced endpoint has its routes in the order of the source', () => {
  const functions = [
    scannedFunction({ name: 'special', httpMethod: 'GET', httpPath: '/items/special' }),
    scannedFunction({ name: 'one', httpMethod: 'GET', httpPath: '/items/{id}', isAsync: true }),
  ]
  const found = made(scanned({ name: 'api', kind: 'load-balanced', functions }))
  expect(Object.entries(found.routes.api ?? {})).toEqual([
    ['GET /items/special', 'special'],
    ['GET /items/{id}', 'one'],
  ])
  expect(found.resources.api).toMatchObject({ is_load_balanced: true, scalerType: 'REQUEST_COUNT' })
  expect(found.resources.api?.functions[1]).toMatchObject({
    http_method: 'GET',
    http_path: '/items/{id}',
    is_async: true,
  })
  expect(found.function_registry).toEqual({ special: 'api', one: 'api' })
})

test('a class has its methods, a ready image no handler, and a client is left out', () => {
  const { handlerFile: _, ...image } = scanned({
    name: 'img',
    kind: 'image',
    functions: [],
    settings: { image: 'a/b:1' },
  })
  const found = made(
    scanned({ name: null, kind: 'client' }),
    image,
    scanned({ name: 'b', functions: [scannedFunction({ name: 'Model', isClass: true, methods: ['run', 'stop'] })] }),
  )
  expect(Object.keys(found.resources)).toEqual(['b', 'img'])
  expect(found.resources.b?.functions).toMatchObject([{ is_class: true, methods: ['run', 'stop'] }])
  expect(found.resources.img).toMatchObject({ imageName: 'a/b:1', functions: [] })
  expect(found.resources.img).not.toHaveProperty('handlerFile')
})

test('a manifest of an earlier build leaves nothing to the image', () => {
  const { image_requirements: _, ...earlier } = made(scanned())
  expect(manifest.parse(earlier).image_requirements).toEqual([])
})
