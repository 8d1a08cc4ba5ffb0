import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { findImportViolations, foldersOfEachOther, withoutOneLayer } from './import-rules.ts'
import {
  CALLS,
  FEATURES_MAY_IMPORT,
  LAYERS,
  type Layer,
  type LayerName,
  NODE_WORKERS,
  OWNED_PACKAGES,
  PURE_LAYERS,
  RENDERER_FILES_WITHOUT_A_ROW,
  RENDERER_LAYERS,
  RENDERER_MAY_IMPORT,
  SHARED_BY_FEATURES,
} from './layers.ts'
import { plant } from './planted.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const ours = findImportViolations(ROOT)

const isFile = (layer: string) => layer.endsWith('.ts')
const importOf = (from: string, to: string) => {
  const path = relative(dirname(from), to)
  return `import '${path.startsWith('.') ? path : `./${path}`}'\n`
}

const layers = Object.entries(LAYERS) as [LayerName, Layer][]
const featureOf = (path: string) => /^src-main\/features\/([^/]+)\//.exec(path)?.[1]
const exampleOf = (layer: LayerName) => `src-main/${LAYERS[layer].example}`

test('imports between folders follow the table of layers', async () => {
  const { filesRead, violations, imports } = await ours
  expect(violations).toEqual([])
  expect(foldersOfEachOther(imports)).toEqual([])
  expect(filesRead).toBeGreaterThan(0)
})

test('two folders that import each other are found, unless one holds the other', async () => {
  const root = plant({
    'src-main/features/one/rules/job/a.ts': "import '../worker/b.ts'\n",
    'src-main/features/one/rules/worker/b.ts': '',
    'src-main/features/one/rules/worker/c.ts': "import '../job/d.ts'\n",
    'src-main/features/one/rules/job/d.ts': "import './deep/e.ts'\n",
    'src-main/features/one/rules/job/deep/e.ts': '',
    'src-main/features/one/rules/job/deep/f.ts': "import '../a.ts'\n",
  })
  const { imports } = await findImportViolations(root)
  expect(foldersOfEachOther(imports)).toEqual([
    'src-main/features/one/rules/job and src-main/features/one/rules/worker',
  ])
})

test('a feature takes of another its rules and what it shares, and each shared file is taken by one', async () => {
  const { imports } = await ours
  const amongFeatures = imports.filter(({ from, to }) => ![undefined, featureOf(to)].includes(featureOf(from)))
  const taken = new Set(amongFeatures.map(({ to }) => to))
  const features = readdirSync(join(ROOT, 'src-main', 'features'), { withFileTypes: true })
  const folders = features.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(folders.filter((name) => !(name in SHARED_BY_FEATURES))).toEqual([])
  const shared = Object.entries(SHARED_BY_FEATURES).flatMap(([name, files]) =>
    files.map((file) => `src-main/features/${name}/${file}.ts`),
  )
  expect(shared.filter((file) => !taken.has(file))).toEqual([])

  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/features/jobs/list-jobs.ts': 'export {}\n',
      'src-main/features/jobs/delete-job.ts': 'export {}\n',
      'src-main/features/jobs/rules/stream.ts': 'export {}\n',
      'src-main/features/apps/takes.ts': `import '../jobs/list-jobs.ts'\nimport '../jobs/delete-job.ts'\nimport '../jobs/rules/stream.ts'\n`,
    }),
  )
  expect(violations.map(({ to }) => to)).toEqual(['src-main/features/jobs/delete-job.ts'])
})

test('every file of src-main belongs to one layer', () => {
  const files = readdirSync(join(ROOT, 'src-main'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((path) => /[.](ts|mjs)$/.test(path)).map((path) => path.replaceAll('\\', '/'))
  expect(sources.length).toBeGreaterThan(0)
  expect(withoutOneLayer(sources)).toEqual([])
  expect(withoutOneLayer(['utils/text.ts', 'lib/text.ts', 'index.ts', 'features/jobs/jobs.ts'])).toEqual([
    'utils/text.ts',
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
      [exampleOf('rules')]: 'export {}\n',
      [exampleOf('services')]: 'export {}\n',
      'resources/node/svc-worker/target.ts': 'export {}\n',
      'resources/node/svc-worker/takes-rules.ts': `import '../../../${exampleOf('rules')}'\n`,
      'resources/node/sketch/takes-rules.ts': `import '../../../${exampleOf('rules')}'\n`,
      'resources/node/sketch/takes-runtime.ts': `import '../svc-worker/target.ts'\n`,
      'resources/node/sketch/takes-services.ts': `import '../../../${exampleOf('services')}'\n`,
    }),
  )
  expect(violations.map(({ from }) => from).sort()).toEqual([
    'resources/node/sketch/takes-services.ts',
    'resources/node/svc-worker/takes-rules.ts',
  ])
})

test('every import between two layers of the pages is found exactly when the table does not allow it', async () => {
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  const layers = Object.keys(RENDERER_LAYERS)
  const placeOf = (layer: string) => (isFile(layer) ? `src-renderer/${layer}` : `src-renderer/${layer}/target.ts`)
  for (const layer of layers) files[placeOf(layer)] ??= 'export {}\n'
  // Files are only imported: one that also imports its importer would be a cycle.
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
  for (const [name] of layers) files[exampleOf(name)] = 'export {}\n'
  const importsAll = (from: string, name: string, allowed: readonly string[]) => {
    const targets = layers.map(([target]) => target).filter((target) => exampleOf(target) !== from)
    files[from] = targets.map((target) => importOf(from, exampleOf(target))).join('')
    for (const target of targets)
      if (![name, ...allowed].includes(target)) expected.push(`${from} -> ${exampleOf(target)}`)
  }
  // Nobody imports these files, so that no planted import closes a cycle.
  for (const [name, { imports, example }] of layers) {
    const from = `src-main/${example}`.replace('/other/', '/greetings/').replace('/example.ts', '/takes-all.ts')
    // A layer of one file cannot have a second one: the file imports all itself, and is imported by nobody.
    if (from === exampleOf(name)) continue
    importsAll(from, name, imports)
  }
  importsAll('src-renderer/takes-all.ts', 'src-renderer', RENDERER_MAY_IMPORT)
  const { violations } = await findImportViolations(plant(files))
  expect([...new Set(violations.map(({ from, to }) => `${from} -> ${to}`))].sort()).toEqual(expected.sort())
  // The table could be wrong as a whole; these must be forbidden whatever it says.
  expect(expected).toEqual(
    expect.arrayContaining([
      'src-main/lib/takes-all.ts -> src-main/contract/example.ts',
      'src-main/contract/takes-all.ts -> src-main/features/other/rules.ts',
      'src-main/features/greetings/rules.ts -> src-main/features/other/serve.ts',
      'src-main/features/greetings/serve.ts -> src-main/features/other/store.ts',
      'src-main/features/greetings/serve.ts -> src-main/features/other/routes.ts',
      'src-main/features/greetings/serve.ts -> src-main/features/other/command.ts',
      'src-main/features/greetings/adapters/takes-all.ts -> src-main/features/other/store.ts',
      'src-main/features/greetings/routes.ts -> src-main/features/other/store.ts',
      'src-main/database/takes-all.ts -> src-main/runtimes/example.ts',
      'src-main/runtimes/takes-all.ts -> src-main/features/other/serve.ts',
      'src-main/app/cli/takes-all.ts -> src-main/storage/example.ts',
      'src-renderer/takes-all.ts -> src-main/features/other/serve.ts',
    ]),
  )
})

test('of some layers only types may be imported', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/features/jobs/store.ts': 'export type Row = { readonly id: string }\n',
      'src-main/features/jobs/run-store.ts': 'export const run = () => undefined\n',
      'src-main/runtimes/target.ts': 'export type Target = string\n',
      'src-main/storage/storage.ts':
        `export type { Row } from '../features/jobs/store.ts'\n` +
        `export { run } from '../features/jobs/run-store.ts'\n` +
        `export type { Target } from '../runtimes/target.ts'\n`,
      'src-main/features/jobs/list.ts': `export type { Row } from './store.ts'\n`,
      'src-main/features/jobs/find.ts': `export type { Row } from '../../storage/storage.ts'\n`,
    }),
  )
  expect(violations.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual([
    'src-main/features/jobs/list.ts -> src-main/features/jobs/store.ts',
    'src-main/storage/storage.ts -> src-main/features/jobs/run-store.ts',
    'src-main/storage/storage.ts -> src-main/runtimes/target.ts',
  ])
})

test('of the client the pages may import its calls alone', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      [CALLS]: 'export {}\n',
      'src-main/app/client/http.ts': 'export {}\n',
      'src-renderer/api-client/ask.ts': `import '../../${CALLS}'\nimport '../../src-main/app/client/http.ts'\n`,
    }),
  )
  expect(violations.map(({ to }) => to)).toEqual(['src-main/app/client/http.ts'])
})

test('a package with an owner is found everywhere else', async () => {
  const files: Record<string, string> = { 'package.json': '{ "type": "module" }' }
  const expected: string[] = []
  for (const [name, owners] of Object.entries(OWNED_PACKAGES)) {
    const slug = name.replace(/\W/g, '-')
    const placeIn = (place: string) => (place in LAYERS ? `${dirname(exampleOf(place as LayerName))}/` : place)
    for (const owner of owners) {
      const example = owner in LAYERS ? exampleOf(owner as LayerName).replace(/[^/]*$/, '') : owner
      const file = owner in LAYERS && /(store|routes|command|rules)[.]ts$/.test(exampleOf(owner as LayerName))
      files[file ? exampleOf(owner as LayerName) : `${example}owns-${slug}.ts`] ??= ''
      files[file ? exampleOf(owner as LayerName) : `${example}owns-${slug}.ts`] += `import '${name}'\n`
    }
    for (const folder of [
      'src-main/features/other/',
      'src-main/app/headless/',
      'src-main/runtimes/process/',
      'src-renderer/',
    ]) {
      if (owners.map(placeIn).includes(folder) && folder === 'src-renderer/') continue
      const from = `${folder}takes-${slug}.ts`
      files[from] = `import type { Anything } from '${name}'\nexport type { Anything }\n`
      expected.push(`${from}: only ${owners.join(', ')} may import ${name}`)
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
      'src-main/features/jobs/rules/takes-zod.ts': `import 'zod'\n`,
      'src-main/lib/hashes.ts': `export const hash = () => import('crypto')\n`,
    }),
  )
  expect(violations.map(({ from }) => from).sort()).toEqual([
    'src-main/contract/reads-a-file.ts',
    'src-main/contract/takes-pino.ts',
    'src-main/features/jobs/rules/takes-zod.ts',
    'src-main/lib/hashes.ts',
  ])
  expect(Object.keys(PURE_LAYERS)).toEqual(['lib', 'contract', 'rules'])
})

test('a cycle is found, also one of types alone', async () => {
  const { violations } = await findImportViolations(
    plant({
      'package.json': '{ "type": "module" }',
      'src-main/lib/egg.ts': `import { hen } from './hen.ts'\nexport const egg = () => hen\n`,
      'src-main/lib/hen.ts': `import { egg } from './egg.ts'\nexport const hen = () => egg\n`,
      'src-main/features/jobs/key.ts': `import type { Lock } from './lock.ts'\nexport type Key = { lock?: Lock }\n`,
      'src-main/features/jobs/lock.ts': `import type { Key } from './key.ts'\nexport type Lock = { key?: Key }\n`,
    }),
  )
  // Each cycle is reported once.
  expect(violations.map(({ rule, from }) => `${rule}: ${from}`).sort()).toEqual([
    'no cycles: src-main/features/jobs/key.ts',
    'no cycles: src-main/lib/egg.ts',
  ])
})
