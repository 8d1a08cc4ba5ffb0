import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { findImportViolations, foldersOfEachOther } from './import-rules.ts'
import {
  FEATURES_MAY_IMPORT,
  MAY_IMPORT,
  NODE_WORKERS,
  OWNED_PACKAGES,
  PURE_LAYERS,
  RENDERER_FILES_WITHOUT_A_ROW,
  RENDERER_LAYERS,
  RENDERER_MAY_IMPORT,
  TOP_FILES_WITHOUT_A_ROW,
} from './layers.ts'
import { plant } from './planted.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const topEntriesWithoutARow = (entries: readonly string[]) =>
  entries.filter((entry) => !(entry in MAY_IMPORT) && !TOP_FILES_WITHOUT_A_ROW.includes(entry))

const isFile = (layer: string) => layer.endsWith('.ts')
const importOf = (from: string, to: string) => {
  const path = relative(dirname(from), to)
  return `import '${path.startsWith('.') ? path : `./${path}`}'\n`
}

/** One file per layer to be imported; they import nothing, so that a planted import never closes a cycle. */
const targets = new Map<string, string>([
  ...Object.keys(MAY_IMPORT).map((layer): [string, string] => [
    layer,
    isFile(layer) ? `src-main/${layer}` : `src-main/${layer}/target.ts`,
  ]),
  ['services/ports', 'src-main/storage/storage.ts'],
  ['src-renderer', 'src-renderer/target.ts'],
  ['test', 'test/target.ts'],
])

const mayImport = (layer: string, target: string) => {
  const allowed = layer === 'src-renderer' ? RENDERER_MAY_IMPORT : (MAY_IMPORT[layer] ?? [])
  return [layer, ...allowed].some((name) => target === name || target.startsWith(`${name}/`))
}

test('imports between folders follow the table of layers', async () => {
  const { filesRead, violations, imports } = await findImportViolations(ROOT)
  expect(violations).toEqual([])
  expect(foldersOfEachOther(imports)).toEqual([])
  expect(filesRead).toBeGreaterThan(0)
})

test('two folders that import each other are found, unless one holds the other', async () => {
  const root = plant({
    'src-main/domain/job/a.ts': "import '../worker/b.ts'\n",
    'src-main/domain/worker/b.ts': '',
    'src-main/domain/worker/c.ts': "import '../job/d.ts'\n",
    'src-main/domain/job/d.ts': "import './deep/e.ts'\n",
    'src-main/domain/job/deep/e.ts': '',
    'src-main/domain/job/deep/f.ts': "import '../a.ts'\n",
  })
  const { imports } = await findImportViolations(root)
  expect(foldersOfEachOther(imports)).toEqual(['src-main/features/jobs/rules and src-main/domain/worker'])
})

test('a file of a feature may import what the layer of its role may', async () => {
  const roles = {
    domain: 'rules.ts',
    services: 'greet.ts',
    storage: 'store.ts',
    api: 'routes.ts',
    cli: 'command.ts',
    mcp: 'tools.ts',
  }
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  for (const file of Object.values(roles)) files[`src-main/features/other/${file}`] = 'export {}\n'
  for (const [layer, file] of Object.entries(roles)) {
    const from = `src-main/features/greetings/${file}`
    files[from] = Object.values(roles)
      .map((target) => importOf(from, `src-main/features/other/${target}`))
      .join('')
    for (const [target, targetFile] of Object.entries(roles))
      if (!mayImport(layer, target)) expected.push(`${from} -> src-main/features/other/${targetFile}`)
  }
  const { violations } = await findImportViolations(plant(files))
  expect(violations.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(expected.sort())
  expect(expected).toContain('src-main/features/greetings/rules.ts -> src-main/features/other/store.ts')
})

test('every top entry of src-main has a row', () => {
  expect(topEntriesWithoutARow(readdirSync(join(ROOT, 'src-main')))).toEqual([])
  expect(topEntriesWithoutARow([...Object.keys(MAY_IMPORT), 'utils', 'README.md', 'index.ts'])).toEqual([
    'utils',
    'index.ts',
  ])
})

test('every top entry of src-renderer has a row', () => {
  const known = [...Object.keys(RENDERER_LAYERS), ...RENDERER_FILES_WITHOUT_A_ROW]
  expect(readdirSync(join(ROOT, 'src-renderer')).filter((entry) => !known.includes(entry))).toEqual([])
})

test('every worker in TypeScript has a row, and what it does not allow is found', async () => {
  const folders = readdirSync(join(ROOT, 'resources', 'node'))
  expect(folders.filter((folder) => !(folder in NODE_WORKERS))).toEqual([])
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/domain/target.ts': 'export {}\n',
      'src-main/services/target.ts': 'export {}\n',
      'resources/node/svc-worker/target.ts': 'export {}\n',
      'resources/node/svc-worker/takes-domain.ts': `import '../../../src-main/domain/target.ts'\n`,
      'resources/node/sketch/takes-domain.ts': `import '../../../src-main/domain/target.ts'\n`,
      'resources/node/sketch/takes-runtime.ts': `import '../svc-worker/target.ts'\n`,
      'resources/node/sketch/takes-services.ts': `import '../../../src-main/services/target.ts'\n`,
    }),
  )
  expect(violations.map(({ from }) => from).sort()).toEqual([
    'resources/node/sketch/takes-services.ts',
    'resources/node/svc-worker/takes-domain.ts',
  ])
})

test('every import between two layers of the pages is found exactly when the table does not allow it', async () => {
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  const layers = Object.keys(RENDERER_LAYERS)
  const placeOf = (layer: string) => (isFile(layer) ? `src-renderer/${layer}` : `src-renderer/${layer}/target.ts`)
  for (const layer of layers) files[placeOf(layer)] ??= 'export {}\n'
  // Files are imported only: one that imports its importer too would be a cycle beside.
  for (const layer of layers.filter((name) => !isFile(name))) {
    for (const target of layers) {
      if (target === layer) continue
      const from = `src-renderer/${layer}/takes-${target.replaceAll('.', '-')}.ts`
      files[from] = importOf(from, placeOf(target))
      if (!RENDERER_LAYERS[layer]?.includes(target)) expected.push(`${from} -> ${placeOf(target)}`)
    }
  }
  const { violations } = await findImportViolations(plant(files))
  expect(violations.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(expected.sort())
  expect(expected).toEqual(
    expect.arrayContaining([
      'src-renderer/store/takes-ui.ts -> src-renderer/ui/target.ts',
      'src-renderer/ui/takes-features.ts -> src-renderer/features/target.ts',
      'src-renderer/features/takes-app.ts -> src-renderer/app/target.ts',
    ]),
  )
})

test('a feature that takes from another one is found, where the table does not say that it shows parts of it', async () => {
  const features = ['endpoints', 'requests', 'jobs', 'workers', 'apps']
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  for (const feature of features) files[`src-renderer/features/${feature}/target.ts`] = 'export {}\n'
  for (const feature of features) {
    for (const target of features) {
      const from = `src-renderer/features/${feature}/takes-${target}.ts`
      files[from] = importOf(from, `src-renderer/features/${target}/target.ts`)
      if (target !== feature && !FEATURES_MAY_IMPORT[feature]?.includes(target)) expected.push(from)
    }
  }
  const { violations } = await findImportViolations(plant(files))
  expect(violations.map(({ from }) => from).sort()).toEqual(expected.sort())
  expect(expected).toContain('src-renderer/features/jobs/takes-apps.ts')
})

test('every import between two layers is found exactly when the table does not allow it', async () => {
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  for (const path of targets.values()) files[path] ??= 'export {}\n'
  for (const layer of [...Object.keys(MAY_IMPORT), 'src-renderer']) {
    for (const [target, targetPath] of targets) {
      if (target === layer) continue
      const folder = layer === 'src-renderer' ? layer : `src-main/${layer}`
      // A layer of one file takes all its imports itself; core.ts is imported too, but by files that nobody imports.
      const from = isFile(layer) ? folder : `${folder}/takes-${target.replaceAll('/', '-')}.ts`
      files[from] = (files[from] ?? '') + importOf(from, targetPath)
      if (!mayImport(layer, target)) expected.push(`${from} -> ${targetPath}`)
    }
  }
  const { violations } = await findImportViolations(plant(files))
  expect(violations.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(expected.sort())
  // The table could be wrong as a whole; these must be forbidden whatever it says.
  expect(expected).toEqual(
    expect.arrayContaining([
      'src-main/contract/takes-domain.ts -> src-main/domain/target.ts',
      'src-main/domain/takes-services.ts -> src-main/services/target.ts',
      'src-main/services/takes-storage.ts -> src-main/storage/target.ts',
      'src-main/storage/takes-fleet.ts -> src-main/fleet/target.ts',
      'src-main/storage/takes-services.ts -> src-main/services/target.ts',
      'src-main/outbound/takes-storage.ts -> src-main/storage/target.ts',
      'src-main/api/takes-storage.ts -> src-main/storage/target.ts',
      'src-main/app/core.ts -> src-main/api/target.ts',
      'src-main/cli/takes-storage.ts -> src-main/storage/target.ts',
      'src-renderer/takes-services.ts -> src-main/services/target.ts',
    ]),
  )
})

test('services take types of storage in one file, and nothing that runs', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/storage/store.ts': 'export type Row = { readonly id: string }\n',
      'src-main/storage/run.ts': 'export const run = () => undefined\n',
      'src-main/fleet/target.ts': 'export type Target = string\n',
      'src-main/storage/storage.ts':
        `export type { Row } from '../../storage/store.ts'\n` +
        `export { run } from '../../storage/run.ts'\n` +
        `export type { Target } from '../../fleet/target.ts'\n`,
      'src-main/services/jobs/list.ts': `export type { Row } from '../../storage/store.ts'\n`,
      'src-main/services/jobs/find.ts': `export type { Row } from '../ports/storage.ts'\n`,
    }),
  )
  expect(violations.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual([
    'src-main/services/jobs/list.ts -> src-main/storage/store.ts',
    'src-main/storage/storage.ts -> src-main/fleet/target.ts',
    'src-main/storage/storage.ts -> src-main/storage/run.ts',
  ])
})

test('a package with an owner is found everywhere else', async () => {
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  for (const [name, owner] of Object.entries(OWNED_PACKAGES)) {
    const slug = name.replace(/\W/g, '-')
    files[owner.endsWith('.ts') ? owner : `${owner}owns-${slug}.ts`] = `import '${name}'\n`
    for (const folder of ['src-main/features/', 'src-main/server/', 'src-main/runtimes/process/', 'src-renderer/']) {
      if (folder === owner) continue
      const from = `${folder}takes-${slug}.ts`
      files[from] = `import type { Anything } from '${name}'\nexport type { Anything }\n`
      expected.push(`${from}: only ${owner} may import ${name}`)
    }
  }
  const { violations } = await findImportViolations(plant(files))
  expect(violations.map(({ rule, from }) => `${from}: ${rule}`).sort()).toEqual(expected.sort())
})

test('a pure layer that imports a runtime or a foreign package is found', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/contract/reads-a-file.ts': `import 'node:fs'\n`,
      'src-main/contract/takes-pino.ts': `import 'pino'\n`,
      'src-main/contract/takes-zod.ts': `import 'zod'\n`,
      'src-main/contract/takes-zod-mini.ts': `import 'zod/mini'\n`,
      'src-main/domain/takes-zod.ts': `import 'zod'\n`,
      'src-main/domain/hashes.ts': `export const hash = () => import('crypto')\n`,
    }),
  )
  expect(violations.map(({ from }) => from).sort()).toEqual([
    'src-main/contract/reads-a-file.ts',
    'src-main/contract/takes-pino.ts',
    'src-main/domain/hashes.ts',
    'src-main/domain/takes-zod.ts',
  ])
  expect(Object.keys(PURE_LAYERS)).toEqual(['contract', 'domain'])
})

test('a cycle is found, also one of types alone', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/domain/egg.ts': `import { hen } from './hen.ts'\nexport const egg = () => hen\n`,
      'src-main/domain/hen.ts': `import { egg } from './egg.ts'\nexport const hen = () => egg\n`,
      'src-main/services/key.ts': `import type { Lock } from './lock.ts'\nexport type Key = { lock?: Lock }\n`,
      'src-main/services/lock.ts': `import type { Key } from './key.ts'\nexport type Lock = { key?: Key }\n`,
    }),
  )
  // Each cycle is reported once.
  expect(violations.map(({ rule, from }) => `${rule}: ${from}`).sort()).toEqual([
    'no cycles: src-main/domain/egg.ts',
    'no cycles: src-main/services/key.ts',
  ])
})
