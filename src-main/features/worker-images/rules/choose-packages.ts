import type { LockedNodes } from '../../../contract/worker-images.ts'
import type { PackagesByClass, StatedPackage } from '../../workflows/rules/node-packages.ts'
import type { ForeignNode } from './formats/environment.ts'
import {
  foldedName,
  folderOf,
  isCommit,
  isFolderName,
  registrySource,
  remoteSource,
  sourceText,
  type WantedSource,
} from './source-address.ts'
import type { WantedClass } from './wanted-nodes.ts'

export type GivenPackage = {
  readonly name: string
  readonly source: WantedSource
  readonly classes?: readonly string[]
}

export type Evidence = {
  readonly given: readonly GivenPackage[]
  readonly locked: readonly LockedNodes[]
  readonly served: ReadonlyMap<string, string>
  readonly installed: readonly ForeignNode[]
  readonly index: PackagesByClass
}

export type ChosenPackage = {
  readonly name: string
  readonly classes: readonly string[]
  readonly source: WantedSource | { readonly locked: LockedNodes }
}

export type Choice = {
  readonly question: string
  readonly options: readonly { readonly name: string; readonly source: WantedSource }[]
  readonly else: readonly string[]
  readonly names: readonly string[]
}

export type ChosenPackages = {
  readonly packages: readonly ChosenPackage[]
  readonly choices: readonly Choice[]
  readonly unknown: readonly string[]
}

type Candidate = {
  readonly name: string
  readonly keys: ReadonlySet<string>
  readonly sources: readonly WantedSource[]
}

export const optionText = ({ name, source }: { readonly name: string; readonly source: WantedSource }): string =>
  `--nodes ${name}=${sourceText(source)}`

export function choosePackages(classes: readonly WantedClass[], evidence: Evidence): ChosenPackages {
  const packages = new Map<string, ChosenPackage>()
  const choices = new Map<string, Choice>()
  const unknown: string[] = []
  const take = (className: string, name: string, source: ChosenPackage['source']) => {
    const before = packages.get(foldedName(name))
    const known = before ?? { name, source, classes: [] }
    packages.set(foldedName(name), { ...known, classes: [...known.classes, className] })
  }
  for (const wanted of classes) {
    const candidates = candidatesFor(wanted, evidence)
    const keys = new Set(candidates.flatMap((one) => [...one.keys]))
    const isOf = ({ name, classes: own = [] }: Pick<GivenPackage, 'name' | 'classes'>) =>
      own.includes(wanted.name) || keys.has(foldedName(name))
    const named = evidence.given.filter(isOf)
    const given = named.length === 0 && candidates.length === 0 ? unreadPackages(evidence) : named
    const locked = evidence.locked.filter(isOf)
    const [only, another] = candidates
    if (given.length > 0) for (const { name, source } of given) take(wanted.name, name, source)
    else if (locked.length > 0) for (const one of locked) take(wanted.name, one.name, { locked: one })
    else if (only === undefined) unknown.push(wanted.name)
    else if (another === undefined && only.sources.length === 1 && only.sources[0] !== undefined)
      take(wanted.name, only.name, only.sources[0])
    else choices.set(candidates.map(({ name }) => name).join(), choiceOf(wanted.name, candidates))
  }
  for (const { name, source } of evidence.given)
    if (!packages.has(foldedName(name))) packages.set(foldedName(name), { name, source, classes: [] })
  for (const one of evidence.locked)
    if (one.classes.length === 0 && !packages.has(foldedName(one.name)))
      packages.set(foldedName(one.name), { name: one.name, source: { locked: one }, classes: [] })
  return { packages: [...packages.values()], choices: [...choices.values()], unknown }
}

/** A class that nothing names is of the only package whose classes cannot be read: they are made by code. */
function unreadPackages({ given }: Evidence): readonly GivenPackage[] {
  const unread = given.filter(({ classes = [] }) => classes.length === 0)
  return unread.length === 1 ? unread : []
}

function choiceOf(className: string, candidates: readonly Candidate[]): Choice {
  const options = candidates.flatMap(({ name, sources }) => sources.map((source) => ({ name, source })))
  const names = candidates.map(({ name }) => name)
  const [first = ''] = names
  if (options.length === 0)
    return {
      question: `${className} is in the folder ${first} of custom_nodes, and nothing says where that comes from.`,
      ...{ options, names },
      else: [`--nodes ${first}=PATH`, `--nodes ${first}=ADDRESS@REF`],
    }
  const question =
    names.length === 1
      ? `${className} of ${first} is wanted in several versions.`
      : `${className} is in several packages: ${names.join(', ')}.`
  return { question, options, else: [], names }
}

function candidatesFor({ name, stated }: WantedClass, { served, installed, index }: Evidence): readonly Candidate[] {
  const indexed = (index.get(name) ?? []).flatMap((one) => indexCandidate(one.address) ?? [])
  const named = mergedByKeys(stated.flatMap((one) => statedCandidate(one) ?? []))
  const folder = served.get(name)
  const running = folder === undefined || !isFolderName(folder) ? [] : [candidate(folder, [folder], [])]
  const all = mergedByKeys([
    ...running,
    ...(named.length === 0 && running.length > 0 ? related(running, indexed) : named),
  ])
  const found = all.length > 0 ? all : indexed
  return found.map((one) => withInstalled(one, installed, indexed))
}

const related = (running: readonly Candidate[], indexed: readonly Candidate[]) =>
  indexed.filter((one) => running.some((other) => shareKey(one, other)))

const candidate = (name: string, keys: readonly string[], sources: readonly WantedSource[]): Candidate => ({
  name,
  keys: new Set(keys.map(foldedName)),
  sources,
})

function statedCandidate({ id, repository, version }: StatedPackage): Candidate | undefined {
  const keys = [...(id === undefined ? [] : [id]), ...(repository === undefined ? [] : [folderOf(repository)])]
  const name = id ?? (repository === undefined ? undefined : folderOf(repository))
  if (name === undefined || !isFolderName(name)) return undefined
  const address = repository === undefined ? undefined : `https://github.com/${repository}`
  const isRelease = version !== undefined && /^\d+(?:\.\d+)+/.test(version) && !isCommit(version)
  const published = id === undefined ? undefined : registrySource(id, isRelease ? version : undefined)
  const cloned = address === undefined ? undefined : remoteSource(address, refIn(version))
  // A commit is of the repository; other versions are of the registry.
  const source = version !== undefined && !isRelease && cloned !== undefined ? cloned : (published ?? cloned)
  return candidate(name, keys, source === undefined ? [] : [source])
}

const refIn = (version: string | undefined) =>
  version === undefined || /^(?:nightly|latest|unknown)$/i.test(version) ? undefined : version

function indexCandidate(address: string | undefined): Candidate | undefined {
  const id = /^https:\/\/registry\.comfy\.org\/nodes\/([^/]+)$/.exec(address ?? '')?.[1]
  const source = id === undefined ? remoteSource(address ?? '') : registrySource(id)
  const name = id ?? folderOf(address ?? '')
  return source === undefined || !isFolderName(name) ? undefined : candidate(name, [name], [source])
}

function mergedByKeys(candidates: readonly Candidate[]): readonly Candidate[] {
  const merged: Candidate[] = []
  for (const one of candidates) {
    const at = merged.findIndex((other) => shareKey(one, other))
    const other = merged[at]
    if (other === undefined) merged.push(one)
    else {
      const sources = new Map([...other.sources, ...one.sources].map((source) => [sourceText(source), source]))
      merged[at] = { ...other, keys: other.keys.union(one.keys), sources: [...sources.values()] }
    }
  }
  return merged
}

const shareKey = (one: Candidate, other: Candidate) => !one.keys.isDisjointFrom(other.keys)

function withInstalled(one: Candidate, installed: readonly ForeignNode[], indexed: readonly Candidate[]): Candidate {
  const found = installed.find(({ name, source }) =>
    [name, locationOf(source)].some((key) => one.keys.has(foldedName(key))),
  )
  if (found !== undefined) return { ...one, sources: [found.source] }
  return one.sources.length > 0
    ? one
    : { ...one, sources: indexed.find((other) => shareKey(one, other))?.sources ?? [] }
}

const locationOf = (source: WantedSource) =>
  'registry' in source ? source.registry : folderOf('path' in source ? source.path : source.repository)
