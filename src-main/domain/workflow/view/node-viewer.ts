/** Views of nodes that stay the same objects as long as what they are made of does. */
import { type Graph, type GraphNode, type Subgraph, subgraphsOf, type WorkflowDocument } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import type { InputType } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { hostWidgets } from './host-widgets.ts'
import { type NodeView, nodeView, type WidgetView } from './node-view.ts'
import { primitiveTarget } from './primitive-target.ts'

/** Where a node is looked at. */
export type Place = { readonly document: WorkflowDocument; readonly graph: Graph; readonly types: NodeTypes }

/** Gives the view of a node. */
export type NodeViewer = (place: Place, node: GraphNode) => NodeView

// What a view was made of. `inside`: the definitions, of which a view of a host tells too.
type Made = {
  readonly view: NodeView
  readonly type: NodeType | undefined
  readonly subgraph: Subgraph | undefined
  readonly inside: WorkflowDocument['definitions']
  readonly target: InputType | undefined
}

const NONE: ReadonlyMap<string, Subgraph> = new Map()

/** Makes one. It holds nothing but what the nodes it is asked for hold. */
export function createNodeViewer(): NodeViewer {
  const made = new WeakMap<GraphNode, Made>()
  const definitionsOf = new WeakMap<object, ReadonlyMap<string, Subgraph>>()
  const definitionsIn = (document: WorkflowDocument): ReadonlyMap<string, Subgraph> => {
    if (document.definitions === undefined) return NONE
    const known = definitionsOf.get(document.definitions) ?? subgraphsOf(document)
    definitionsOf.set(document.definitions, known)
    return known
  }
  return ({ document, graph, types }, node) => {
    const name = node.type ?? ''
    const [type, subgraph] = [typeOfNode(node, types), definitionsIn(document).get(name)]
    const inside = subgraph === undefined ? undefined : document.definitions
    const target = name === 'PrimitiveNode' ? primitiveTarget(graph, node, types) : undefined
    const before = made.get(node)
    const isSame = before?.type === type && before?.target === target
    if (before !== undefined && isSame && before.inside === inside) return before.view
    const promoted = subgraph === undefined ? undefined : hostWidgets(definitionsIn(document), node, types)
    if (
      before !== undefined &&
      isSame &&
      sameFace(before.subgraph, subgraph) &&
      sameWidgets(before.view.widgets, promoted)
    ) {
      made.set(node, { ...before, inside })
      return before.view
    }
    const view = nodeView(node, { type, subgraph, target, ...(promoted === undefined ? {} : { promoted }) })
    made.set(node, { view, type, subgraph, inside, target })
    return view
  }
}

// What a host shows of its subgraph beside the widgets.
function sameFace(before: Subgraph | undefined, after: Subgraph | undefined): boolean {
  return before?.name === after?.name && before?.inputs === after?.inputs && before?.outputs === after?.outputs
}

// An edit within one definition leaves the hosts of the others as they are.
function sameWidgets(before: readonly WidgetView[], after: readonly WidgetView[] | undefined): boolean {
  return (
    after !== undefined &&
    before.length === after.length &&
    before.every((one, at) => {
      const other = after[at]
      return (
        other !== undefined &&
        one.name === other.name &&
        one.kind === other.kind &&
        one.label === other.label &&
        one.input === other.input &&
        one.value === other.value &&
        one.isLinked === other.isLinked &&
        one.control === other.control
      )
    })
  )
}
