/** `comfy-build.yaml` of Comfy: schema comfy-build/1, or its definition alone. Source: docs/spec/worker-images.md, 1.4. */
import type { LockedModel, LockedNodes, WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import { registrySource, remoteSource } from '../source-address.ts'
import {
  type Environment,
  type Fields,
  type ForeignModel,
  type ForeignNode,
  type Format,
  isSource,
  patched,
  pathOf,
  pinsOf,
  recordsIn,
  sha256Of,
  sizeOf,
  textOf,
} from './environment.ts'

const SCHEMA = 'comfy-build/1'
const DEFINITION = 'distribution-definition/0'

const isOf = (data: Fields): boolean => data.schema === SCHEMA || data.schema === DEFINITION

const definitionOf = (data: Fields): Fields =>
  data.schema === DEFINITION ? data : isRecord(data.definition) ? data.definition : {}

function read(data: Fields): Environment {
  const { baseComfyVersion, models, customNodes, pipDependencies, environment } = definitionOf(data)
  return {
    comfyui: textOf(baseComfyVersion),
    python: isRecord(environment) ? textOf(environment.pythonVersion) : undefined,
    nodes: recordsIn(customNodes).flatMap((entry) => readNode(entry) ?? []),
    models: recordsIn(models).flatMap((entry) => readModel(entry) ?? []),
    requirements: (textOf(pipDependencies) ?? '')
      .split(/\r?\n/)
      .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
      .filter((line) => line !== ''),
  }
}

function readNode(entry: Fields): ForeignNode | undefined {
  const [name, id, version, repository] = [entry.name, entry.id, entry.registryVersion, entry.repository].map(textOf)
  if (name === undefined) return undefined
  // A branch or tag may have moved since, so the exact commit comes first.
  const source =
    repository !== undefined
      ? remoteSource(repository, textOf(entry.commit) ?? textOf(entry.gitRef))
      : id === undefined || version === undefined
        ? undefined
        : registrySource(id, version)
  return source === undefined ? undefined : { name, source }
}

function readModel(entry: Fields): ForeignModel | undefined {
  const [folder, name] = [textOf(entry.type), textOf(entry.filename)]
  if (folder === undefined || name === undefined) return undefined
  return {
    folder,
    name,
    sizeBytes: sizeOf(entry.sizeBytes),
    sha256: sha256Of(entry.sha256),
    source: textOf(entry.sourceUri),
  }
}

function write(lock: WorkflowLock, before: Fields | undefined, title: string) {
  const fresh = { schema: SCHEMA, id: null, name: title, description: '', syncedRevision: null, definition: {} }
  const data: Fields = before ?? fresh
  const old = definitionOf(data)
  const pins = pinsOf(lock)
  const definition = {
    ...(before === undefined ? { schema: DEFINITION } : {}),
    ...old,
    baseComfyVersion: versionOf(lock, textOf(old.baseComfyVersion)),
    models: patched(entriesOf(old.models), lock.models, {
      isUnderstood: (entry) => isRecord(entry) && readModel(entry) !== undefined,
      matches: (entry, model) => pathOfEntry(entry) === pathOf(model),
      change: (entry, model) => ({ ...entry, ...changedModel(readModel(entry), model) }),
      make: (model) => ({ ...locationOf(model), ...changedModel(undefined, model) }),
    }),
    customNodes: patched(entriesOf(old.customNodes), lock.nodes, {
      isUnderstood: (entry) => isRecord(entry) && readNode(entry) !== undefined,
      matches: (entry, { name }) => entry.name === name,
      change: changedNode,
      make: (node) => ({ name: node.name, ...fieldsOf(node) }),
    }),
    ...(old.pipDependencies === undefined && pins.length > 0 ? { pipDependencies: `${pins.join('\n')}\n` } : {}),
  }
  return { data: data.schema === DEFINITION ? definition : { ...data, definition }, left: [] }
}

const entriesOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : [])

const asTag = (version: string) => (/^\d+(?:\.\d+)+$/.test(version) ? `v${version}` : version)

function versionOf({ comfyui: { version, commit } }: WorkflowLock, before: string | undefined): string {
  const isSame =
    before !== undefined && (before === commit || (version !== undefined && asTag(before) === asTag(version)))
  return isSame ? before : version === undefined ? commit : asTag(version)
}

function pathOfEntry(entry: Fields): string | undefined {
  const model = readModel(entry)
  return model === undefined ? undefined : pathOf(model)
}

function locationOf(model: LockedModel) {
  const [, type, filename] = /^(.+)\/([^/]+)$/.exec(pathOf(model)) ?? []
  return { type, filename }
}

function changedModel(before: ForeignModel | undefined, { sha256, sizeBytes, source }: LockedModel) {
  return {
    ...(sha256 === undefined || sha256 === before?.sha256 ? {} : { sha256 }),
    ...(sizeBytes === undefined || sizeBytes === before?.sizeBytes ? {} : { sizeBytes }),
    ...(source === undefined || source === before?.source ? {} : { sourceUri: source }),
  }
}

const SOURCE_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'registryVersion', 'repository', 'gitRef', 'commit', 'blobId', 'source'],
])

function changedNode(entry: Fields, node: LockedNodes): Fields {
  const before = readNode(entry)
  if (before !== undefined && isSource(before.source, node.source)) return entry
  const kept = Object.entries(entry).filter(([name]) => !SOURCE_FIELDS.has(name))
  return { ...Object.fromEntries(kept), ...fieldsOf(node) }
}

function fieldsOf({ source }: LockedNodes): Fields {
  if ('registry' in source) return { id: source.registry, registryVersion: source.version, source: 'registry' }
  if ('repository' in source) return { repository: source.repository, gitRef: source.commit, source: 'git' }
  return { source: 'local' }
}

export const comfyBuild: Format = { isOf, read, write }
