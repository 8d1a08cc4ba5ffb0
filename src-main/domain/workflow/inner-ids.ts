/**
 * Ids of nodes within subgraphs, as payloads have them. A file may have the same id in the outermost graph and in a subgraph,
 * or in two subgraphs; the editor of the field gives the later ones others when it opens the file, and those are sent.
 * Source: editor research, 1, Subgraphs; the order is held against the editor's page by test/comfy.
 */
import type { GraphNode, WorkflowDocument } from './document/document.ts'
import { asIndex, isObject, type JsonValue } from './json/value.ts'

/** By definition, for its nodes that are given another id: the id that payloads have. Others keep their own. */
export type InnerIds = ReadonlyMap<string, ReadonlyMap<string, string>>

const NONE: InnerIds = new Map()

/** The ids that payloads have for nodes within subgraphs. */
export function innerIds(document: WorkflowDocument): InnerIds {
  const subgraphs = document.definitions?.subgraphs.items ?? []
  if (subgraphs.length === 0) return NONE
  const known = idsOfDocuments.get(document) ?? findInnerIds(document)
  idsOfDocuments.set(document, known)
  return known
}

// A cache alone: all nodes that are drawn ask for their ids.
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
