/** Built apps for tests: folders with a manifest, as a build would leave them, without anything that runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  MANIFEST_FILE,
  type Manifest,
  type ManifestResource,
  manifest,
  manifestResource,
} from '../../src-main/contract/manifest.ts'

/** One endpoint of a manifest: a queue-based function of its own name; other settings win. */
function resourceNamed(name: string, more: Partial<ManifestResource> = {}): ManifestResource {
  const plain = { is_async: false, is_generator: false, is_class: false }
  return manifestResource.parse({
    is_load_balanced: false,
    workersMin: 0,
    workersMax: 1,
    gpuCount: 1,
    instanceIds: ['cpu3c-1-2'],
    env: {},
    functions: [{ name, module: 'worker', ...plain }],
    idleTimeout: 60,
    scalerType: 'QUEUE_DELAY',
    scalerValue: 4,
    executionTimeoutMs: 0,
    maxConcurrency: 1,
    handlerFile: `handler_${name}.py`,
    makesRemoteCalls: false,
    networkVolumes: [],
    systemDependencies: [],
    ...more,
  })
}

/** The manifest of an app with these endpoints. @param code tells its sources from others */
export function manifestOf(
  resources: Readonly<Record<string, Partial<ManifestResource>>>,
  code = 'a',
  routes: Manifest['routes'] = {},
): Manifest {
  const named = Object.entries(resources).map(([name, more]) => [name, resourceNamed(name, more)] as const)
  return manifest.parse({
    version: '1.0',
    app: 'shop',
    python_version: '3.11',
    generated_at: '1980-01-01T00:00:00.000Z',
    source_fingerprint: code.repeat(64).slice(0, 64),
    resources: Object.fromEntries(named),
    routes,
    function_registry: Object.fromEntries(
      named.flatMap(([name, { functions }]) => functions.map((found) => [found.name, name])),
    ),
  })
}

/** A folder that holds the manifest; it vanishes with the test. @returns its absolute path */
export function appFolder(content: Manifest): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify(content))
  return folder
}
