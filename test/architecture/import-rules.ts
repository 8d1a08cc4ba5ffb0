import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cruise, type IForbiddenRuleType, type IReporterOutput } from 'dependency-cruiser'
import {
  FEATURE_ROLES,
  FEATURES_MAY_IMPORT,
  MAY_IMPORT,
  MAY_IMPORT_TYPES,
  NODE_WORKERS,
  OWNED_PACKAGES,
  PURE_LAYERS,
  RENDERER_LAYERS,
  RENDERER_MAY_IMPORT,
} from './layers.ts'

/** An import that the table does not allow. */
export interface ImportViolation {
  readonly rule: string
  readonly from: string
  readonly to: string
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** An import of one file of the source tree by another. */
export type Import = { readonly from: string; readonly to: string }

const SERVICE = `(?!${Object.values(FEATURE_ROLES).join('|')})`
const roleOf = (name: string) => (name === 'services' ? SERVICE : FEATURE_ROLES[name])

/**
 * Matches a top entry or what is below it: `core.ts` as it is, `services/ports` as a file or a folder; a layer also in
 * features.
 */
export function entry(name: string): string {
  const role = roleOf(name)
  const inFeatures = role === undefined ? '' : `|features/[^/]+/${role}`
  return `^src-main/(${literally(name)}(/|[.]ts$|$)${inFeatures})`
}

// A path from the root: a layer also in features.
function placed(path: string): string {
  const layer = path.replace(/^src-main\//, '')
  return layer in MAY_IMPORT ? entry(layer) : `^${literally(path)}(/|$)`
}

/** Matches a package, resolved or not. */
const packageNamed = (name: string) => `(^|node_modules/)${literally(name)}(/|$)`

const layerRules = Object.entries(MAY_IMPORT).map(([layer, allowed]) => ({
  name: `src-main/${layer} may import ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error' as const,
  from: { path: entry(layer), pathNot: Object.keys(MAY_IMPORT_TYPES).map(entry) },
  to: { path: '^(src-main|src-renderer|test)/', pathNot: [layer, ...allowed].map(entry) },
}))

const typeRules = Object.entries(MAY_IMPORT_TYPES).flatMap(([file, types]) => {
  const layer = file.split('/')[0] ?? file
  const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])].map(entry)
  const rule = { severity: 'error' as const, from: { path: entry(file) } }
  const any = { path: '^(src-main|src-renderer|test)/', pathNot: [...allowed, ...types.map(entry)] }
  return [
    { ...rule, name: `${file} may import types of ${types.join(', ')}`, to: any },
    {
      ...rule,
      name: `${file} may import nothing but types of ${types.join(', ')}`,
      to: { path: types.map(entry), dependencyTypesNot: ['type-only' as const] },
    },
  ]
})

/** The same for the pages. */
const rendererEntry = (name: string) => `^src-renderer/${literally(name)}(/|$)`

const rendererRules = Object.entries(RENDERER_LAYERS).map(([layer, allowed]) => ({
  name: `src-renderer/${layer} may import ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error' as const,
  from: { path: rendererEntry(layer) },
  to: { path: '^src-renderer/', pathNot: [layer, ...allowed].map(rendererEntry) },
}))

const nodeWorkerRules = Object.entries(NODE_WORKERS).map(([folder, allowed]) => ({
  name: `resources/node/${folder} may import ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error' as const,
  from: { path: `^resources/node/${literally(folder)}/` },
  to: {
    path: '^(src-main|src-renderer|test|resources)/',
    pathNot: [`^resources/node/${literally(folder)}/`, ...allowed.map(placed)],
  },
}))

const feature = (name: string) => `^src-renderer/features/${name}/`
const featureRules = [
  ...Object.entries(FEATURES_MAY_IMPORT).map(([name, allowed]) => ({
    name: `feature ${name} may import ${allowed.join(', ')}`,
    severity: 'error' as const,
    from: { path: feature(name) },
    to: { path: feature('[^/]+'), pathNot: [name, ...allowed].map(feature) },
  })),
  {
    name: 'a feature knows of no other',
    severity: 'error' as const,
    from: { path: feature('([^/]+)'), pathNot: Object.keys(FEATURES_MAY_IMPORT).map(feature) },
    to: { path: feature('[^/]+'), pathNot: feature('$1') },
  },
]

const pureRules = Object.entries(PURE_LAYERS).map(([layer, packages]) => ({
  name: `src-main/${layer} may import ${packages.length === 0 ? 'no package' : `no package but ${packages.join(', ')}`}`,
  severity: 'error' as const,
  from: { path: entry(layer) },
  to: { pathNot: ['^(src-main|src-renderer|test)/', '^resources/.*[.]json$', ...packages.map(packageNamed)] },
}))

const packageRules = Object.entries(OWNED_PACKAGES).map(([name, owner]) => ({
  name: `only ${owner} may import ${name}`,
  severity: 'error' as const,
  from: { path: '^src-', pathNot: placed(owner.replace(/\/$/, '')) },
  to: { path: packageNamed(name) },
}))

const FORBIDDEN: IForbiddenRuleType[] = [
  ...layerRules,
  ...typeRules,
  ...rendererRules,
  ...featureRules,
  ...nodeWorkerRules,
  ...pureRules,
  ...packageRules,
  {
    name: `src-renderer may import ${RENDERER_MAY_IMPORT.join(', ')}`,
    severity: 'error',
    from: { path: '^src-renderer/' },
    to: { path: '^(src-main|test)/', pathNot: RENDERER_MAY_IMPORT.map(entry) },
  },
  { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
]

/**
 * Folders that need each other cannot be read one after the other; one within the other is a part of it.
 * @returns pairs, as "a and b"
 */
export function foldersOfEachOther(imports: readonly Import[]): readonly string[] {
  const needs = new Map<string, Set<string>>()
  // Layers hold the frame of all features, such as the table of routes.
  const isFeature = (path: string) => path.startsWith('src-main/features/')
  const among = imports.filter(({ from, to }) => isFeature(from) === isFeature(to))
  for (const { from, to } of among) needs.set(dirname(from), (needs.get(dirname(from)) ?? new Set()).add(dirname(to)))
  const isWithin = (one: string, other: string) => `${one}/`.startsWith(`${other}/`)
  return [...needs].flatMap(([one, others]) =>
    [...others].flatMap((other) => {
      const isPair = one < other && needs.get(other)?.has(one) && !isWithin(one, other) && !isWithin(other, one)
      return isPair ? [`${one} and ${other}`] : []
    }),
  )
}

/**
 * Follows every import below src-main, src-renderer and resources/node, types included.
 * @param root the folder that holds src-main.
 * @returns what breaks a rule; how many files were read: 0 would mean that nothing was checked; the imports of src-main
 * and src-renderer among each other
 */
export async function findImportViolations(root: string): Promise<{
  readonly filesRead: number
  readonly violations: readonly ImportViolation[]
  readonly imports: readonly Import[]
}> {
  const folders = ['src-main', 'src-renderer', 'resources/node'].filter((folder) => existsSync(join(root, folder)))
  const report: IReporterOutput = await cruise(folders, {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: FORBIDDEN },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  })
  if (typeof report.output === 'string') throw new Error('dependency-cruiser gave text where a result was expected')
  const { modules, summary } = report.output
  const isSource = (path: string) => /^src-.*\.tsx?$/.test(path)
  const imports = modules.flatMap(({ source, dependencies }) =>
    dependencies.flatMap(({ resolved }) =>
      isSource(source) && isSource(resolved) ? [{ from: source, to: resolved }] : [],
    ),
  )
  const violations = summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
  return {
    filesRead: modules.filter((module) => module.source.startsWith('src-')).length,
    violations,
    imports,
  }
}
