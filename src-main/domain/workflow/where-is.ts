import { subgraphsOf, type WorkflowDocument } from './document/document.ts'
import { type GraphAddress, graphAt } from './edit/graph-at.ts'
import { innerIds } from './inner-ids.ts'

/** Where a node of a payload is in a document. `path`: the ids of the nodes that it is within, from outside inwards. */
export type Whereabouts = { readonly path: readonly string[]; readonly at: GraphAddress; readonly node: string }

/**
 * Finds the node that a payload names like `57:8`: node 8 within node 57. A node may have such an id itself.
 * @returns undefined where it is not there
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

/** The id that a payload has for a node. @param path the ids of the nodes that it is within, from outside inwards */
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
