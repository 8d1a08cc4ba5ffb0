/**
 * Payload ids of nodes in subgraphs: like the editor on opening, renumbers duplicates across graphs. Source:
 * docs/spec/comfyui.md, 1.1; order compared with the editor by test/comfy.
 */

import { asIndex, isObject, type JsonValue } from '../../../lib/json/value.ts'
import { type GraphNode, subgraphsOf, type WorkflowDocument } from './document/document.ts'
import { type GraphAddress, graphAt } from './edit/graph-at.ts'

/** By definition: payload ids of its renumbered nodes. Others keep their own. */
export type InnerIds = ReadonlyMap<string, ReadonlyMap<string, string>>

const NONE: InnerIds = new Map()

export function innerIds(document: WorkflowDocument): InnerIds {
  const subgraphs = document.definitions?.subgraphs.items ?? []
  if (subgraphs.length === 0) return NONE
  const known = idsOfDocuments.get(document) ?? findInnerIds(document)
  idsOfDocuments.set(document, known)
  return known
}

const idsOfDocuments = new WeakMap<WorkflowDocument, InnerIds>()

function findInnerIds(document: WorkflowDocument): InnerIds {
  const used = new Set(document.nodes.items.map(({ id = '' }) => id))
  let last = lastNodeId(document)
  const free = (): string => {
    do last += 1
    while (used.has(String(last)))
    return String(last)
  }
  const found = new Map<string, Map<string, string>>()
  for (const { id: definition = '', nodes } of document.definitions?.subgraphs.items ?? []) {
    for (const id of wholeIds(nodes.items)) {
      const isUsed = used.has(id)
      const own = isUsed ? free() : id
      used.add(own)
      if (isUsed) found.set(definition, (found.get(definition) ?? new Map<string, string>()).set(id, own))
    }
  }
  return found.size === 0 ? NONE : found
}

const wholeIds = (nodes: readonly GraphNode[]): readonly string[] =>
  nodes.flatMap(({ id = '' }) => (/^\d{1,15}$/.test(id) ? id : []))

function lastNodeId({ lastNodeId: plain, state }: WorkflowDocument): number {
  const counter: JsonValue | undefined = plain ?? (isObject(state) ? state.get('lastNodeId') : undefined)
  return asIndex(counter) ?? 0
}

type Whereabouts = { readonly path: readonly string[]; readonly at: GraphAddress; readonly node: string }

/**
 * Resolves `57:8` to node 8 within node 57, though a node may have such an id itself.
 * @returns undefined if not found
 */
export function whereIs(document: WorkflowDocument, payloadId: string): Whereabouts | undefined {
  const [definitions, ids] = [subgraphsOf(document), innerIds(document)]
  const path: string[] = []
  let at: GraphAddress
  let rest = payloadId
  for (;;) {
    const nodes = graphAt(document, at)?.nodes.items ?? []
    const [name, own] = [rest, ids.get(at ?? '')]
    const nameOf = (id: string) => own?.get(id) ?? id
    const node = nodes.find(({ id }) => id !== undefined && nameOf(id) === name)?.id
    if (node !== undefined) return { path, at, node }
    const host = nodes.find(({ id = '', type = '' }) => name.startsWith(`${nameOf(id)}:`) && definitions.has(type))
    if (host?.id === undefined) return undefined
    path.push(host.id)
    at = host.type
    rest = rest.slice(nameOf(host.id).length + 1)
  }
}

export function payloadIdOf(document: WorkflowDocument, path: readonly string[], node: string): string {
  const ids = innerIds(document)
  if (ids.size === 0) return [...path, node].join(':')
  const names: string[] = []
  let at: GraphAddress
  for (const id of [...path, node]) {
    names.push(ids.get(at ?? '')?.get(id) ?? id)
    at = graphAt(document, at)?.nodes.items.find((one) => one.id === id)?.type
  }
  return names.join(':')
}
