import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cruise, type IForbiddenRuleType, type IReporterOutput } from 'dependency-cruiser'
import {
  CALLS,
  FEATURES_MAY_IMPORT,
  FILES_WITHOUT_A_LAYER,
  LAYERS,
  type Layer,
  type LayerName,
  NODE_WORKERS,
  OWNED_PACKAGES,
  PURE_LAYERS,
  RENDERER_LAYERS,
  RENDERER_MAY_IMPORT,
  SHARED_BY_FEATURES,
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

/** Matches the files of a layer of src-main. */
export const filesOf = (name: LayerName) => LAYERS[name].files.replace(/(^|[|])\^/g, '$1^src-main/')

/** Matches a layer, or a folder by its path from the root. */
const placed = (place: string) => (place in LAYERS ? filesOf(place as LayerName) : `^${literally(place)}`)

const SOURCES = '^(src-main|src-renderer|test)/'

/** Matches a package, resolved or not. */
const packageNamed = (name: string) => `(^|node_modules/)${literally(name)}(/|$)`

const layers = Object.entries(LAYERS) as [LayerName, Layer][]

/** @param paths files below src-main. @returns those without a layer or with several */
export function withoutOneLayer(paths: readonly string[]): readonly string[] {
  const among = paths.filter((path) => !FILES_WITHOUT_A_LAYER.includes(path))
  return among.filter((path) => layers.filter(([, { files }]) => new RegExp(files).test(path)).length !== 1)
}

const layerRules = layers.flatMap(([name, { imports, types = [] }]) => {
  const from = { path: filesOf(name) }
  const may = imports.join(', ') || 'nothing else'
  return [
    {
      name: `${name} may import ${may}`,
      severity: 'error' as const,
      from,
      to: { path: SOURCES, pathNot: [name, ...imports, ...types].map(placed) },
    },
    ...(types.length === 0
      ? []
      : [
          {
            name: `${name} may import nothing but types of ${types.join(', ')}`,
            severity: 'error' as const,
            from,
            to: { path: types.map(placed), dependencyTypesNot: ['type-only' as const] },
          },
        ]),
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
    pathNot: [
      `^resources/node/${literally(folder)}/`,
      ...allowed.map((name) => (name in LAYERS ? placed(name) : `^resources/node/${literally(name)}/`)),
    ],
  },
}))

const sharingRules = Object.entries(SHARED_BY_FEATURES).map(([name, files]) => ({
  name: `of feature ${name} others may import rules and what it shares`,
  severity: 'error' as const,
  from: { path: '^src-main/features/[^/]+/', pathNot: `^src-main/features/${name}/` },
  to: {
    path: `^src-main/features/${name}/`,
    pathNot: [
      `^src-main/features/${name}/rules(/|[.]ts$)`,
      ...files.map((file) => `^src-main/features/${name}/${literally(file)}[.]ts$`),
    ],
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
  name: `${layer} may import ${packages.length === 0 ? 'no package' : `no package but ${packages.join(', ')}`}`,
  severity: 'error' as const,
  from: { path: placed(layer) },
  to: { pathNot: [SOURCES, '^resources/.*[.]json$', ...packages.map(packageNamed)] },
}))

const packageRules = Object.entries(OWNED_PACKAGES).map(([name, owners]) => ({
  name: `only ${owners.join(', ')} may import ${name}`,
  severity: 'error' as const,
  from: { path: '^src-', pathNot: owners.map(placed) },
  to: { path: packageNamed(name) },
}))

const FORBIDDEN: IForbiddenRuleType[] = [
  ...layerRules,
  ...rendererRules,
  ...featureRules,
  ...sharingRules,
  ...nodeWorkerRules,
  ...pureRules,
  ...packageRules,
  {
    name: `src-renderer may import ${RENDERER_MAY_IMPORT.join(', ')}`,
    severity: 'error',
    from: { path: '^src-renderer/' },
    to: { path: '^(src-main|test)/', pathNot: [...RENDERER_MAY_IMPORT.map(filesOf), `^${literally(CALLS)}$`] },
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
