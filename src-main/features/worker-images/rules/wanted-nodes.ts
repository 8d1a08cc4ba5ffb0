import { isArray, isObject, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'
import { graphName, modelNameProblem } from '../../models/rules/layout.ts'
import { readDocument } from '../../workflows/rules/document/document.ts'
import { isOfComfyui, readStatedPackage, type StatedPackage } from '../../workflows/rules/node-packages.ts'
import type { NodeTypes } from '../../workflows/rules/node-types.ts'
import { readPayloadNode, readPayloadNodes } from '../../workflows/rules/payload.ts'
import { modelsOf, type OfferedModel, offeredModels } from '../../workflows/rules/runs/graph-models.ts'
import { imagesOf } from '../../workflows/rules/runs/payload-files.ts'

export type WantedClass = { readonly name: string; readonly stated: readonly StatedPackage[] }

export type WantedModel = {
  readonly name: string
  readonly directory: string | undefined
  readonly offered: OfferedModel | undefined
}

export type WantedGraph = {
  readonly classes: readonly WantedClass[]
  readonly comfyui: string | undefined
  readonly models: readonly WantedModel[]
  readonly inputs: readonly string[]
}

export function wantedBy(
  { form, raw }: { readonly form: 'document' | 'payload'; readonly raw: JsonObject },
  payload: JsonObject,
  types: NodeTypes,
): WantedGraph {
  const nodes = readPayloadNodes(payload)
  const stated = form === 'document' ? statedInDocument(raw) : statedInPayload(raw)
  const names = [...new Set(nodes.map(({ classType }) => classType))].sort()
  const offers = form === 'document' ? offeredModels(readDocument(raw)) : new Map<string, OfferedModel>()
  return {
    classes: names.map((name) => ({ name, stated: stated.get(name) ?? [] })),
    comfyui: newest([...stated.values()].flat().flatMap((one) => (isOfComfyui(one) ? (one.version ?? []) : []))),
    models: wantedModels(modelsOf(nodes), offers),
    inputs: [...new Set(imagesOf(payload, types).map(({ name }) => name))],
  }
}

export const isBuiltIn = (classType: string, stated: readonly StatedPackage[], types: NodeTypes): boolean =>
  stated.some(isOfComfyui) || moduleOf(classType, types) === ''

export function moduleOf(classType: string, types: NodeTypes): string | undefined {
  const module = types.get(classType)?.raw.get('python_module')
  if (typeof module !== 'string') return types.has(classType) ? '' : undefined
  return module.startsWith(CUSTOM) ? module.slice(CUSTOM.length) : ''
}

const CUSTOM = 'custom_nodes.'

function wantedModels(
  asked: ReturnType<typeof modelsOf>,
  offers: ReadonlyMap<string, OfferedModel>,
): readonly WantedModel[] {
  const found = new Map<string, WantedModel>()
  for (const { asked: text, directory } of asked) {
    const name = graphName(text)
    if (modelNameProblem(name) !== undefined) continue
    const offered = offers.get(name)
    const where = directory ?? offered?.directory
    found.set(JSON.stringify([where, name]), { name, directory: where, offered })
  }
  return [...found.values()]
}

type Stated = Map<string, StatedPackage[]>

function statedInDocument(raw: JsonObject): Stated {
  const found: Stated = new Map()
  const document = readDocument(raw)
  for (const graph of [document, ...(document.definitions?.subgraphs.items ?? [])])
    for (const { type, properties } of graph.nodes.items) add(found, type, properties)
  for (const group of objectsIn(objectIn(raw.get('extra'), 'groupNodes')))
    for (const node of listIn(group.get('nodes')))
      if (isObject(node)) add(found, textIn(node.get('type')), node.get('properties'))
  return found
}

function statedInPayload(raw: JsonObject): Stated {
  const found: Stated = new Map()
  for (const [id, value] of raw) {
    const node = readPayloadNode(id, value)
    if (node !== undefined) add(found, node.classType, node.raw.get('_meta'))
  }
  return found
}

function add(found: Stated, name: string | undefined, properties: JsonValue | undefined): void {
  const one = name === undefined || !isObject(properties) ? undefined : readStatedPackage(properties)
  if (name === undefined || one === undefined) return
  const others = found.get(name) ?? []
  const isKnown = others.some(
    ({ id, repository, version }) => id === one.id && repository === one.repository && version === one.version,
  )
  if (!isKnown) found.set(name, [...others, one])
}

const textIn = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined)
const listIn = (value: JsonValue | undefined) => (isArray(value) ? value : [])
const objectIn = (value: JsonValue | undefined, key: string) => (isObject(value) ? value.get(key) : undefined)
const objectsIn = (value: JsonValue | undefined) => (isObject(value) ? [...value.values()].filter(isObject) : [])

function newest(versions: readonly string[]): string | undefined {
  const numbers = (version: string) => version.split('.').map(Number)
  return versions
    .filter((version) => /^\d+(?:\.\d+)+$/.test(version))
    .toSorted((one, other) => {
      const [a, b] = [numbers(one), numbers(other)]
      const at = a.findIndex((part, index) => part !== (b[index] ?? 0))
      return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
    })
    .at(-1)
}
