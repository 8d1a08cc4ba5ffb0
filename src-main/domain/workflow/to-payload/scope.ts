/**
 * A graph where it stands: the outermost one, or a subgraph within the node that is its instance. The same definition may
 * stand in several places, each with ids of its own. Source: editor research, 1 and 2.
 */
import {
  type Graph,
  type GraphNode,
  type InputSlot,
  MODE,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { linksById, nodesById } from '../document/index-of.ts'
import type { Link } from '../document/links.ts'
import type { InnerIds } from '../inner-ids.ts'

/** A graph in its place. */
export type Scope = {
  readonly graph: Graph
  /** What comes before the ids of its nodes: nothing, `57:`, `57:3:` ... */
  readonly prefix: string
  /** How many nodes it is within. */
  readonly depth: number
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly links: ReadonlyMap<string, Link>
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly ids: InnerIds
  /** The node that it is within; missing for the outermost. */
  readonly host?: { readonly node: GraphNode; readonly scope: Scope; readonly definition: Subgraph }
}

// Far more than any file has; a crafted one could name more nodes than there is memory for.
const DEPTH_MAX = 100

/** The outermost graph of a document. @param ids those that nodes within subgraphs have in a payload */
export function outermost(document: WorkflowDocument, ids: InnerIds): Scope {
  return { ...scopeOf(document), prefix: '', depth: 0, definitions: subgraphsOf(document), ids }
}

/** Why a node with a subgraph cannot be entered. */
export type Closed = 'within itself' | 'too deep'

/** The graph within a node; undefined where the node is no instance of a subgraph, or cannot be entered. */
export function within(scope: Scope, node: GraphNode): Scope | undefined {
  const definition = scope.definitions.get(node.type ?? '')
  if (definition === undefined || whyClosed(scope, node) !== undefined) return undefined
  return {
    ...scopeOf(definition),
    prefix: `${payloadId(scope, node.id ?? '')}:`,
    depth: scope.depth + 1,
    definitions: scope.definitions,
    ids: scope.ids,
    host: { node, scope, definition },
  }
}

/** Why a node with a subgraph cannot be entered; undefined where it can, or has none. */
export function whyClosed(scope: Scope, { type = '' }: GraphNode): Closed | undefined {
  if (!scope.definitions.has(type)) return undefined
  if (isWithin(scope, type)) return 'within itself'
  return scope.depth >= DEPTH_MAX ? 'too deep' : undefined
}

const scopeOf = (graph: Graph): Pick<Scope, 'graph' | 'nodes' | 'links'> => {
  return { graph, nodes: nodesById(graph), links: linksById(graph) }
}

function isWithin({ host }: Scope, definition: string): boolean {
  for (let at = host; at !== undefined; at = at.scope.host) if (at.definition.id === definition) return true
  return false
}

/** The id of a node as the payload has it. */
export const payloadId = ({ prefix, host, ids }: Scope, nodeId: string): string =>
  prefix + (ids.get(host?.definition.id ?? '')?.get(nodeId) ?? nodeId)

/** The link into an input; undefined where there is none. */
export function linkInto({ links }: Scope, { link }: InputSlot): Link | undefined {
  return link === undefined ? undefined : links.get(link)
}

// Nodes of the editor alone: no worker knows them.
const VIRTUAL = new Set(['PrimitiveNode', 'Reroute', 'Note', 'MarkdownNote', 'SetNode', 'GetNode'])

/** Whether a node is of the editor alone. */
export const isVirtual = (node: GraphNode): boolean => VIRTUAL.has(node.type ?? '') || isEverywhere(node)

/** Whether a node sends its input to others without links, by the code of an extension alone. */
export const isEverywhere = ({ type = '' }: GraphNode): boolean => /^(Anything|Prompts|Seed) Everywhere/.test(type)

/** Whether a node takes part in a run. */
export const isActive = ({ mode }: GraphNode): boolean => mode !== MODE.mute && mode !== MODE.bypass
