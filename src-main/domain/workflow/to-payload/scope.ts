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
import type { Link } from '../document/links.ts'

/** A graph in its place. */
export type Scope = {
  readonly graph: Graph
  /** What comes before the ids of its nodes: nothing, `57:`, `57:3:` ... */
  readonly prefix: string
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly links: ReadonlyMap<string, Link>
  readonly definitions: ReadonlyMap<string, Subgraph>
  /** The node that it is within; missing for the outermost. */
  readonly host?: { readonly node: GraphNode; readonly scope: Scope; readonly definition: Subgraph }
}

/** The outermost graph of a document. */
export function outermost(document: WorkflowDocument): Scope {
  return { ...scopeOf(document), prefix: '', definitions: subgraphsOf(document) }
}

/** The graph within a node; undefined where the node is no instance of a subgraph, or would be within itself. */
export function within(scope: Scope, node: GraphNode): Scope | undefined {
  const definition = scope.definitions.get(node.type ?? '')
  if (definition === undefined || isWithin(scope, definition)) return undefined
  return {
    ...scopeOf(definition),
    prefix: `${scope.prefix}${node.id}:`,
    definitions: scope.definitions,
    host: { node, scope, definition },
  }
}

function scopeOf(graph: Graph): Pick<Scope, 'graph' | 'nodes' | 'links'> {
  return {
    graph,
    nodes: new Map(graph.nodes.items.map((node) => [node.id ?? '', node])),
    links: new Map(graph.links.items.map((link) => [link.id, link])),
  }
}

function isWithin({ host }: Scope, definition: Subgraph): boolean {
  return host !== undefined && (host.definition.id === definition.id || isWithin(host.scope, definition))
}

/** The id of a node as the payload has it. */
export const payloadId = (scope: Scope, nodeId: string): string => scope.prefix + nodeId

/** The link into an input; undefined where there is none. */
export function linkInto({ links }: Scope, { link }: InputSlot): Link | undefined {
  return link === undefined ? undefined : links.get(link)
}

// Nodes of the editor alone: no worker knows them.
const VIRTUAL = new Set(['PrimitiveNode', 'Reroute', 'Note', 'MarkdownNote'])

/** Whether a node is of the editor alone. */
export const isVirtual = ({ type }: GraphNode): boolean => VIRTUAL.has(type ?? '')

/** Whether a node takes part in a run. */
export const isActive = ({ mode }: GraphNode): boolean => mode !== MODE.mute && mode !== MODE.bypass
