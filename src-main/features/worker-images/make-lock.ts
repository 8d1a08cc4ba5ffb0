/** Makes the lock of a graph, or changes one package of it. Source: docs/spec/worker-images.md, 1. */
import {
  DEFAULT_BASE,
  type ImageConflict,
  LOCK_SCHEMA,
  type LockedModel,
  type LockedNodes,
  type WorkflowLock,
  workflowLock,
} from '../../contract/worker-images.ts'
import type { LockPorts, ReadPackage } from './ports.ts'
import {
  type Choice,
  type ChosenPackage,
  choosePackages,
  type GivenPackage,
  optionText,
} from './rules/choose-packages.ts'
import { COMFYUI, COMFYUI_NAME } from './rules/comfyui.ts'
import { findConflicts, modelsHere } from './rules/conflicts.ts'
import type { LockRequest, MadeLock } from './rules/lock-request.ts'
import { foldedName, isCommit, registrySource, sourceText, type WantedSource } from './rules/source-address.ts'
import type { WantedModel } from './rules/wanted-nodes.ts'

type Report = (step: string) => void

export async function makeLock(
  ports: LockPorts,
  request: LockRequest,
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<MadeLock> {
  const conflicts: ImageConflict[] = []
  const notes: string[] = []
  const read = packageReader(ports, { report, signal })
  const given = await withClasses(request.given, read, conflicts)
  const chosen = await choose(ports, { ...request, given }, conflicts)
  const nodes: LockedNodes[] = []
  for (const one of chosen) {
    const locked = await lockedNodes(one, read, conflicts)
    if (locked !== undefined) nodes.push(locked)
  }
  const comfyui = await lockedComfyui(request, read, conflicts)
  const models = await lockedModels(ports, request, notes, report)
  const inputs = await lockedInputs(ports, request, notes)
  const { previous } = request
  const base = { ...DEFAULT_BASE, ...previous?.base, ...request.base }
  const requirements = [...new Set(request.environments.flatMap((one) => one.requirements))]
  const own = requirements.length > 0 ? requirements : (previous?.requirements ?? [])
  if (comfyui === undefined || conflicts.some(({ blocks }) => blocks)) return { lock: undefined, conflicts, notes }
  const lock = workflowLock.parse({
    ...previous,
    ...{ schema: LOCK_SCHEMA, comfyui, base, nodes, requirements: own, models, inputs },
    environment: { ...previous?.environment, ...request.environment },
    worker: request.worker === 'anywhere' ? undefined : (request.worker ?? previous?.worker),
    workflow: request.workflow ?? previous?.workflow,
    imported: request.imported ?? previous?.imported,
  })
  return { ...(await withPython(ports, lock, conflicts, { report, signal })), notes }
}

export type Update = { readonly name: string; readonly ref: string | undefined }

/** Only these packages change, and Python packages if requirements do. Without a ref: the newest of its branch, else the newest. */
export async function updateLock(
  ports: LockPorts,
  lock: WorkflowLock,
  updates: readonly Update[],
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<MadeLock> {
  const conflicts: ImageConflict[] = []
  const read = packageReader(ports, { report, signal })
  const updateOf = (name: string) => updates.find((one) => foldedName(one.name) === foldedName(name))
  const nodes: (LockedNodes | undefined)[] = []
  for (const node of lock.nodes) {
    const update = updateOf(node.name)
    nodes.push(update === undefined ? node : await updatedNodes(node, update.ref, read, conflicts))
  }
  const { repository } = lock.comfyui
  const update = updateOf(COMFYUI_NAME)
  const comfyui = update && (await comfyuiAt({ repository, ref: versionTag(update.ref) }, read, conflicts))
  const found = nodes.filter((node) => node !== undefined)
  if (found.length < nodes.length || (update !== undefined && comfyui === undefined))
    return { lock: undefined, conflicts, notes: [] }
  const changed = { ...lock, nodes: found, comfyui: { ...lock.comfyui, ...comfyui } }
  const before = JSON.stringify(requirementsOf(lock, []))
  if (JSON.stringify(requirementsOf(changed, [])) === before) return { lock: changed, conflicts, notes: [] }
  return { ...(await withPython(ports, changed, conflicts, { report, signal })), notes: [] }
}

async function updatedNodes(
  node: LockedNodes,
  ref: string | undefined,
  read: ReadPackage,
  conflicts: ImageConflict[],
): Promise<LockedNodes | undefined> {
  const { source, classes, name } = node
  const wanted: WantedSource | undefined =
    'registry' in source
      ? registrySource(source.registry, ref)
      : 'repository' in source
        ? { repository: source.repository, ref: ref ?? source.ref }
        : { path: source.path }
  if (wanted === undefined) {
    conflicts.push(unreadable(name, `${ref} is not a version of the registry`, [`--update ${name}=VERSION`]))
    return undefined
  }
  const found = await lockedNodes({ name, classes, source: wanted }, read, conflicts)
  const { requirements: _requirements, python: _python, comfyui: _comfyui, licence: _licence, ...kept } = node
  return found && { ...kept, ...found }
}

async function withClasses(given: readonly GivenPackage[], read: ReadPackage, conflicts: ImageConflict[]) {
  const known: GivenPackage[] = []
  for (const { name, source } of given)
    try {
      known.push({ name, source, classes: 'registry' in source ? [] : (await read(source)).classes })
    } catch (error) {
      conflicts.push(unreadable(name, error, [`--nodes ${name}=PATH`, `--nodes ${name}=ADDRESS@REF`]))
    }
  return known
}

async function choose(
  ports: LockPorts,
  { graph, given, previous, served, environments, index }: LockRequest,
  conflicts: ImageConflict[],
): Promise<readonly ChosenPackage[]> {
  const installed = environments.flatMap(({ nodes }) => nodes)
  if (graph === undefined) {
    const named = given.map(({ name, source }) => ({ name, source, classes: [] }))
    const others = installed.filter(({ name }) => !given.some((one) => foldedName(one.name) === foldedName(name)))
    return [...named, ...others.map(({ name, source }) => ({ name, source, classes: [] }))]
  }
  const wanted = graph.classes.filter(({ name }) => !graph.isBuiltIn(name))
  const evidence = { served, installed, index, locked: previous?.nodes ?? [] }
  const first = choosePackages(wanted, { ...evidence, given })
  const answers: GivenPackage[] = []
  for (const choice of first.choices) {
    const option = await ports.choose?.(choice)
    if (option === undefined) conflicts.push(choiceConflict(choice))
    else answers.push(option)
  }
  const { packages, unknown } = choosePackages(wanted, { ...evidence, given: [...given, ...answers] })
  for (const name of unknown)
    conflicts.push({
      ...{ code: 'class_unknown', blocks: true, message: `No known package provides the class ${name}.` },
      choices: ['--nodes NAME=PATH', '--nodes NAME=ADDRESS@REF', '--nodes NAME=registry:ID@VERSION'],
      packages: [],
    })
  return packages.map((one) => ({ ...one, classes: [...one.classes].sort() }))
}

const choiceConflict = (choice: Choice): ImageConflict => ({
  code: 'source_choice',
  blocks: true,
  message: choice.question,
  choices: [...choice.options.map(optionText), ...choice.else],
  packages: choice.names.map((name) => ({
    name,
    sources: choice.options.filter((one) => one.name === name).map(({ source }) => sourceText(source)),
  })),
})

async function lockedNodes(
  { name, classes, source }: ChosenPackage,
  read: ReadPackage,
  conflicts: ImageConflict[],
): Promise<LockedNodes | undefined> {
  if ('locked' in source) return { ...source.locked, classes: [...classes] }
  try {
    const { source: exact, requirements, python, comfyui, licence } = await read(source)
    return { name, source: exact, classes: [...classes], requirements: [...requirements], python, comfyui, licence }
  } catch (error) {
    conflicts.push(unreadable(name, error, [`--nodes ${name}=PATH`, `--nodes ${name}=ADDRESS@REF`]))
    return undefined
  }
}

const unreadable = (name: string, error: unknown, choices: string[]): ImageConflict => ({
  code: 'source_choice',
  blocks: true,
  message: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
  choices,
  packages: [{ name, sources: [] }],
})

const versionTag = (version: string | undefined) =>
  version !== undefined && /^\d+(?:\.\d+)+$/.test(version) ? `v${version}` : version

async function lockedComfyui(
  { comfyui, previous, environments, graph }: LockRequest,
  read: ReadPackage,
  conflicts: ImageConflict[],
): Promise<WorkflowLock['comfyui'] | undefined> {
  const given = comfyui?.source
  if (given === undefined && previous !== undefined) return previous.comfyui
  const ref = environments.map((one) => one.comfyui).find((one) => one !== undefined) ?? graph?.comfyui
  const source = given ?? { repository: COMFYUI, ref: versionTag(ref) }
  return comfyuiAt(source, read, conflicts)
}

async function comfyuiAt(
  source: WantedSource,
  read: ReadPackage,
  conflicts: ImageConflict[],
): Promise<WorkflowLock['comfyui'] | undefined> {
  const choices = ['--comfyui VERSION', '--comfyui ADDRESS@REF', '--comfyui PATH@REF']
  try {
    const { source: exact, requirements, version } = await read(source)
    if (!('repository' in exact)) throw new Error('it must be a repository of git')
    const { repository, commit } = exact
    return { ...(version === undefined ? {} : { version }), repository, commit, requirements: [...requirements] }
  } catch (error) {
    conflicts.push(unreadable(COMFYUI_NAME, error, choices))
    return undefined
  }
}

function packageReader(
  { git, registry, pathOf }: LockPorts,
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): ReadPackage {
  const known = new Map<string, ReturnType<ReadPackage>>()
  return (wanted) => {
    const key = sourceText(wanted)
    const before = known.get(key) ?? readOnce(wanted)
    known.set(key, before)
    return before
  }

  async function readOnce(wanted: WantedSource): ReturnType<ReadPackage> {
    if ('path' in wanted) {
      report(`reads ${wanted.path}`)
      const { sha256, ...facts } = await git.readFolder(pathOf(wanted.path), signal)
      return { ...facts, source: { path: wanted.path, sha256 } }
    }
    if ('registry' in wanted) {
      report(`asks the registry for ${wanted.registry}`)
      const found = await registry.find(wanted.registry, wanted.version, signal)
      if (found === undefined) throw new Error(`the registry has no ${wanted.version ?? 'version'} of it`)
      const { version, download, requirements, licence } = found
      const source = { registry: wanted.registry, version, ...(download === undefined ? {} : { download }) }
      return { source, requirements, classes: [], version, ...(licence === undefined ? {} : { licence }) }
    }
    report(`reads ${wanted.repository}`)
    const repository = pathOf(wanted.repository)
    const commit = await git.commitOf(repository, wanted.ref, signal)
    const facts = await git.read(repository, commit, signal)
    const isNamed = wanted.ref !== undefined && !isCommit(wanted.ref) && !commit.startsWith(wanted.ref)
    return { ...facts, source: { repository: wanted.repository, commit, ...(isNamed ? { ref: wanted.ref } : {}) } }
  }
}

async function lockedModels(
  ports: LockPorts,
  request: LockRequest,
  notes: string[],
  report: Report,
): Promise<readonly LockedModel[]> {
  const { graph, environments, previous, addresses } = request
  const listed = environments.flatMap((one) => one.models)
  if (graph === undefined) return listed
  const models: LockedModel[] = []
  for (const wanted of graph.models) {
    const isSame = (one: Pick<LockedModel, 'folder' | 'name'>) =>
      `${one.folder}/${one.name}` === `${wanted.directory ?? one.folder}/${wanted.name}`
    const before = previous?.models.find(isSame)
    report(`looks for ${wanted.name}`)
    const here = await ports.findModel(wanted.name, wanted.directory, report)
    const folder = here?.folder ?? wanted.directory ?? before?.folder ?? listed.find(isSame)?.folder
    if (folder === undefined) {
      notes.push(`${wanted.name} is in no model folder, and its kind is not known, so it is not in the lock.`)
      continue
    }
    const claims = [before, listed.find(isSame), offerOf(wanted)].flatMap((one) =>
      one === undefined ? [] : [claimOf(one)],
    )
    const sha256 = here?.sha256 ?? claims.find((one) => one.sha256 !== undefined)?.sha256
    const fitting = claims.filter((one) => one.sha256 === undefined || one.sha256 === sha256)
    for (const { source } of claims.filter((one) => !fitting.includes(one) && one.source !== undefined))
      notes.push(`${wanted.name} here is another file than at ${source}, so that address is left out.`)
    models.push({
      ...{ ...before, folder, name: wanted.name, sha256 },
      sizeBytes: here?.sizeBytes ?? claims.find((one) => one.sizeBytes !== undefined)?.sizeBytes,
      source: addresses.get(wanted.name) ?? here?.source ?? fitting.find((one) => one.source !== undefined)?.source,
    })
  }
  return models
}

type Claim = {
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  readonly source?: string | undefined
}

const claimOf = ({ sha256, sizeBytes, source }: Claim): Claim => ({ sha256, sizeBytes, source })

const offerOf = ({ offered }: WantedModel): Claim | undefined =>
  offered && { sha256: offered.sha256, source: offered.url }

async function lockedInputs({ readInput }: LockPorts, { graph, previous }: LockRequest, notes: string[]) {
  const inputs: WorkflowLock['inputs'] = []
  for (const name of graph?.inputs ?? []) {
    const found = (await readInput(name)) ?? previous?.inputs.find((one) => one.name === name)
    if (found === undefined) notes.push(`The input ${name} is not next to the graph, so it is not in the lock.`)
    else inputs.push({ ...found, name })
  }
  return graph === undefined ? (previous?.inputs ?? []) : inputs
}

function requirementsOf({ comfyui, nodes, requirements, worker }: WorkflowLock, ofWorker: readonly string[]) {
  return [
    ...comfyui.requirements.map((text) => ({ from: COMFYUI_NAME, text })),
    ...nodes.flatMap((node) => node.requirements.map((text) => ({ from: node.name, text }))),
    ...requirements.map((text) => ({ from: 'the lock', text })),
    ...(worker === 'local' ? [] : ofWorker).map((text) => ({ from: 'the worker', text })),
  ]
}

async function withPython(
  { resolvePython, ofWorker, runsSetUp }: LockPorts,
  lock: WorkflowLock,
  conflicts: readonly ImageConflict[],
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<Pick<MadeLock, 'lock' | 'conflicts'>> {
  const whole = (complete: WorkflowLock, python: readonly ImageConflict[]) => ({
    lock: complete,
    conflicts: [...conflicts, ...findConflicts({ lock: complete, localModels: modelsHere(complete), python })],
  })
  if (resolvePython === undefined) return whole(lock, [])
  report('resolves Python packages')
  const { provides, python } = lock.base
  // A lock alone does not decide it, as it may come from a stranger.
  const sources = runsSetUp ? lock.accept.flatMap((one) => /^source:(.+)$/.exec(one)?.[1] ?? []) : []
  const requirements = requirementsOf(lock, ofWorker)
  const resolved = await resolvePython({ requirements, provides, python, sources, previous: lock.python, signal })
  if ('conflicts' in resolved) return { lock: undefined, conflicts: [...conflicts, ...resolved.conflicts] }
  return whole({ ...lock, python: [...resolved.packages] }, resolved.warnings)
}
