import { expect, it } from 'vitest'
import { platformManifest } from '../../../../src-main/contract/platform-manifest.ts'
import { fromPlatformManifest } from '../../../../src-main/features/platform-api/rules/manifest.ts'
import { toPlatformManifest } from '../../../../src-main/features/targets/rules/to-platform-manifest.ts'

it('a manifest of SDK 2.0 comes back as it was, but for what no machine reads', () => {
  const sent = platformManifest.parse({
    version: 1,
    app: 'shop',
    pythonVersion: '3.12',
    excludedPackages: ['torch'],
    resources: [
      {
        ...{ kind: 'queue', name: 'adder', module: 'main', gpus: ['ADA_24'], minCudaVersion: '12.4' },
        ...{ mounts: [{ kind: 'network', reference: 'models', path: '/runpod-volume' }], env: { COLOUR: 'blue' } },
        ...{ locations: 'EU-1,US-2', scalerType: 'QUEUE_DELAY', maxConcurrency: 3 },
      },
      {
        ...{ kind: 'api', name: 'web', module: 'main', instanceIds: ['cpu3c-1-2'], scalerType: 'REQUEST_COUNT' },
        routes: [{ method: 'GET', path: '/hello', handler: 'Web.hello' }],
      },
    ],
  })
  const ours = fromPlatformManifest(sent, 'a'.repeat(64))
  const [adder, web] = sent.resources
  // The module of an api stands with its handlers.
  expect(toPlatformManifest(ours)).toEqual({ ...sent, resources: [adder, web] })
})
