import { isArray, isNumber, isObject, type JsonValue } from '../../../lib/json/value.ts'
import { type GraphNode, type Subgraph, subgraphsOf, type WorkflowDocument } from './document/document.ts'
import type { NodeTypes } from './node-types.ts'
import { SUBGRAPH_DEPTH_MAX } from './promoted-widgets.ts'

export type FoundNode = {
  readonly path: readonly string[]
  readonly id: string
  readonly title: string
  readonly detail: string
}

const DETAIL_LENGTH = 60

/**
 * Case-insensitive; all parts must match, title matches first.
 * @param text empty: all nodes
 */
export function findNodes(
  document: WorkflowDocument,
  types: NodeTypes,
  { text, most }: { readonly text: string; readonly most: number },
): readonly FoundNode[] {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean)
  const definitions = subgraphsOf(document)
  const byTitle: FoundNode[] = []
  const others: FoundNode[] = []
  const visit = (nodes: readonly GraphNode[], path: readonly string[]): void => {
    for (const node of nodes) {
      if (byTitle.length >= most) return
      const { id = '', type = '' } = node
      const inner = definitions.get(type)
      const title = node.title ?? inner?.name ?? types.get(type)?.displayName ?? type
      const detail = detailOf({ node, title, inner }, parts)
      if (hasAll(title.toLowerCase(), parts)) byTitle.push({ path, id, title, detail: detail ?? type })
      else if (detail !== undefined && others.length < most) others.push({ path, id, title, detail })
      if (inner !== undefined && path.length < SUBGRAPH_DEPTH_MAX) visit(inner.nodes.items, [...path, id])
    }
  }
  visit(document.nodes.items, [])
  return [...byTitle, ...others].slice(0, most)
}

type InspectedNode = { readonly node: GraphNode; readonly title: string; readonly inner: Subgraph | undefined }

function detailOf({ node, title, inner }: InspectedNode, parts: readonly string[]): string | undefined {
  const kind = inner === undefined ? (node.type ?? '') : 'Subgraph'
  const plain = `${title} ${kind} ${node.id ?? ''}`.toLowerCase()
  if (hasAll(plain, parts)) return `${kind} ${node.id ?? ''}`
  const value = textsIn(node.widgetValues).find((one) => {
    const lower = one.toLowerCase()
    return parts.every((part) => lower.includes(part) || plain.includes(part))
  })
  return value === undefined ? undefined : around(value, parts)
}

const hasAll = (text: string, parts: readonly string[]): boolean => parts.every((part) => text.includes(part))

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isNumber(value)) return [value.number]
  if (isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? [...value.values()].flatMap(textsIn) : []
}

function around(value: string, parts: readonly string[]): string {
  const line = value.replaceAll(/\s+/g, ' ').trim()
  const found = line.toLowerCase().indexOf(parts.find((part) => line.toLowerCase().includes(part)) ?? '')
  const start = Math.max(0, found - DETAIL_LENGTH / 3)
  const end = start + DETAIL_LENGTH
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}
