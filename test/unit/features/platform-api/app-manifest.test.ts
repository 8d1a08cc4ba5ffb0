import { expect, test } from 'vitest'
import { manifest } from '../../../../src-main/contract/manifest.ts'
import type { ScannedEndpoint } from '../../../../src-main/contract/scan.ts'
import {
  makeAnyManifest,
  makePlatformManifest,
  warningsOfAppName,
} from '../../../../src-main/features/platform-api/rules/app-manifest.ts'
import { scanned, scannedFunction, scanOf } from '../apps/scan-support.ts'

const ofApp = (given: Partial<ScannedEndpoint>) =>
  scanned({ sdk: 2, module: 'main', qualname: 'greet', handlerFile: undefined, ...given })

const described = (...endpoints: readonly ScannedEndpoint[]) => ({
  app: 'shop',
  scan: scanOf({ endpoints: [...endpoints] }),
  pythonVersion: '3.12',
  fingerprint: 'ab',
  endpointFingerprints: { greet: 'cd' },
  imageRequirements: ['torch>=2'],
  generatedAt: '2026-01-02T03:04:05.000Z',
})

test('a queue that says nothing has the defaults of its package: three workers, and any card', () => {
  const given = described(ofApp({}))
  expect(makePlatformManifest(given, ['torch'])).toEqual({
    version: 1,
    app: 'shop',
    pythonVersion: '3.12',
    excludedPackages: ['torch'],
    resources: [
      {
        kind: 'queue',
        name: 'greet',
        module: 'main',
        qualname: 'greet',
        gpuCount: 1,
        workersMin: 0,
        workersMax: 3,
        idleTimeout: 60,
      },
    ],
  })
  const made = makeAnyManifest(given)
  expect(manifest.parse(made)).toEqual(made)
  expect(made).toMatchObject({ generated_at: given.generatedAt, image_requirements: ['torch>=2'] })
  expect(made.tasks).toBeUndefined()
  expect(made.resources.greet).toMatchObject({
    sdk: 2,
    gpuIds: 'any',
    workersMax: 3,
    fingerprint: 'cd',
    makesRemoteCalls: false,
    functions: [{ name: 'greet', module: 'worker' }],
  })
})

test('a volume is bound to its path by the variable that workers read', () => {
  const mount = { kind: 'network' as const, reference: 'models', path: '/runpod-volume' }
  const { resources } = makeAnyManifest(described(ofApp({ settings: { cpu: ['cpu3c-1-2'], mounts: [mount] } })))
  expect(resources.greet).toMatchObject({ networkVolumes: [{ name: 'models' }], instanceIds: ['cpu3c-1-2'] })
  expect(resources.greet).not.toHaveProperty('gpuIds')
  expect(JSON.parse(resources.greet?.env.RUNPOD_MOUNTS ?? '')).toEqual([{ ...mount, id: 'models' }])
})

test('routes come from methods, and a function without them gives an application', () => {
  const order = scannedFunction({ name: 'order', httpMethod: 'POST', httpPath: '/order', isAsync: true })
  const web = ofApp({ name: 'web', kind: 'load-balanced', qualname: 'Web', functions: [order] })
  const served = ofApp({ name: 'served', kind: 'load-balanced', qualname: 'serve' })
  const given = described(web, served)
  expect(makePlatformManifest(given).resources).toMatchObject([
    { kind: 'api', qualname: 'Web', routes: [{ method: 'POST', path: '/order', handler: 'order' }] },
    { kind: 'api', asgiFactory: 'serve' },
  ])
  const { routes, resources } = makeAnyManifest(given)
  expect(routes).toEqual({ web: { 'POST /order': 'order' }, served: {} })
  expect(resources.web).toMatchObject({ is_load_balanced: true, functions: [{ http_path: '/order', is_async: true }] })
})

test('a task is no endpoint of the manifest, but stands in it', () => {
  const { resources, tasks } = makeAnyManifest(described(ofApp({}), ofApp({ name: 'train', kind: 'task' })))
  expect(Object.keys(resources)).toEqual(['greet'])
  expect(tasks).toMatchObject({ train: { gpuIds: 'any', functions: [{ name: 'greet' }] } })
})

test('an app of another form has the manifest that it always had', () => {
  const { resources } = makeAnyManifest(described(scanned()))
  expect(resources.greet).toMatchObject({ handlerFile: 'handler_greet.py', workersMax: 1 })
  expect(resources.greet).not.toHaveProperty('sdk')
})

test('a warning says that an App is deployed under another name than it has in the source', () => {
  const app = { name: 'shop', file: 'main.py', line: 3 }
  expect(warningsOfAppName('shop', { app })).toEqual([])
  expect(warningsOfAppName('demo', { app: null })).toEqual([])
  expect(warningsOfAppName('demo', { app })).toMatchObject([{ code: 'APP_NAME_DIFFERS', file: 'main.py', line: 3 }])
})
