/** `comfy-lock.yaml` of comfy-cli: models, and a snapshot of ComfyUI-Manager. Source: docs/spec/worker-images.md, 1.4. */
import type { LockedModel, WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import {
  type Environment,
  type Fields,
  type ForeignModel,
  type Format,
  named,
  patched,
  pathOf,
  recordsIn,
  sha256Of,
  textOf,
} from './environment.ts'
import { asSnapshot, changedSnapshot, nodesOf } from './manager-snapshot.ts'

const isOf = (data: Fields): boolean =>
  ['basics', 'basic'].some((key) => Object.hasOwn(data, key)) ||
  (Array.isArray(data.models) && Object.hasOwn(data, 'custom_nodes'))

function read({ models, custom_nodes }: Fields): Environment {
  const nodes = isRecord(custom_nodes) ? custom_nodes : {}
  return {
    comfyui: textOf(nodes.comfyui),
    nodes: nodesOf(nodes),
    models: recordsIn(models).flatMap((entry) => readModel(entry) ?? []),
    requirements: [],
  }
}

const WITHIN = /(?:^|\/)models\/(.+)\/([^/]+)$/

function readModel(entry: Fields): ForeignModel | undefined {
  const [first] = recordsIn(entry.paths).flatMap(({ path }) => textOf(path)?.replaceAll('\\', '/') ?? [])
  const [name, type] = [textOf(entry.model), textOf(entry.type)]
  const [, folder, filename] = WITHIN.exec(first ?? '') ?? [undefined, type, name]
  if (folder === undefined || filename === undefined) return undefined
  return { folder, name: filename, sha256: hashOf(entry), source: textOf(entry.url) }
}

const isSha256 = (kind: unknown) => kind === undefined || (typeof kind === 'string' && /^sha-?256$/i.test(kind))

function hashOf({ hash, hashes }: Fields): string | undefined {
  const listed = recordsIn(hashes).find((one) => isSha256(one.type) && sha256Of(one.hash) !== undefined)
  return sha256Of(hash) ?? sha256Of(listed?.hash)
}

function write(lock: WorkflowLock, before: Fields | undefined, title: string) {
  const old = before?.custom_nodes
  const models = patched(Array.isArray(before?.models) ? before.models : [], lock.models, {
    isUnderstood: (entry) => isRecord(entry) && readModel(entry) !== undefined,
    matches: (entry, model) => pathOfEntry(entry) === pathOf(model),
    change: changedModel,
    make: (model) => ({
      ...{ model: model.name, url: model.source ?? null, paths: [{ path: `models/${pathOf(model)}` }] },
      ...(model.sha256 === undefined ? {} : { hashes: [{ hash: model.sha256, type: 'SHA256' }] }),
      type: model.folder,
    }),
  })
  const isForeignList = Array.isArray(old) && (old.length > 0 || lock.nodes.length === 0)
  const { data, left } = isForeignList ? { data: old, left: named(lock.nodes) } : changedSnapshot(lock, asSnapshot(old))
  return { data: { ...(before ?? { basics: { name: title } }), models, custom_nodes: data }, left }
}

function pathOfEntry(entry: Fields): string | undefined {
  const model = readModel(entry)
  return model === undefined ? undefined : pathOf(model)
}

function changedModel(entry: Fields, { sha256, source }: LockedModel): Fields {
  const isKnown = sha256 === undefined || sha256 === hashOf(entry)
  const others = recordsIn(entry.hashes).filter(({ type }) => !isSha256(type))
  return {
    ...entry,
    ...(source === undefined ? {} : { url: source }),
    ...(isKnown ? {} : { hashes: [...others, { hash: sha256, type: 'SHA256' }] }),
    ...(isKnown || sha256Of(entry.hash) === undefined ? {} : { hash: sha256 }),
  }
}

export const comfyLock: Format = { isOf, read, write }
