import { subgraphsOf, type WorkflowDocument } from './document/document.ts'
import { type GraphAddress, graphAt } from './edit/graph-at.ts'

/** Where a node of a payload is in a document. `path`: the ids of the nodes that it is within, from outside inwards. */
export type Whereabouts = { readonly path: readonly string[]; readonly at: GraphAddress; readonly node: string }

/**
 * Finds the node that a payload names like `57:8`: node 8 within node 57. A node may have such an id itself.
 * @returns undefined where it is not there
 */
export function whereIs(document: WorkflowDocument, payloadId: string): Whereabouts | undefined {
  const definitions = subgraphsOf(document)
  const path: string[] = []
  let at: GraphAddress
  let rest = payloadId
  for (;;) {
    const nodes = graphAt(document, at)?.nodes.items ?? []
    if (nodes.some(({ id }) => id === rest)) return { path, at, node: rest }
    const name = rest
    const host = nodes.find(({ id = '', type = '' }) => name.startsWith(`${id}:`) && definitions.has(type))
    if (host?.id === undefined) return undefined
    path.push(host.id)
    at = host.type
    rest = rest.slice(host.id.length + 1)
  }
}

/** The id that a payload has for a node. @param path the ids of the nodes that it is within, from outside inwards */
export const payloadIdOf = (path: readonly string[], node: string): string => [...path, node].join(':')
