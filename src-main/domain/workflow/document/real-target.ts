/**
 * Where links end. Files are found whose links name another place than the slot that has them, as slots were left out when
 * they were saved; then the slot is right. Source: editor research, 1, Tolerance.
 */
import type { Graph, GraphNode } from './document.ts'
import { nodesById } from './index-of.ts'
import type { Link } from './links.ts'

/** The link with the place of the slot that has it; itself where it names that, or no slot has it. */
export function realTarget(link: Link, target: GraphNode | undefined): Link {
  const slots = target?.inputs.items
  if (slots === undefined || slots[link.to.slot]?.link === link.id) return link
  const slot = slots.findIndex((one) => one.link === link.id)
  return slot < 0 ? link : { ...link, to: { ...link.to, slot } }
}

/** The links of a graph, with the places of the slots that have them. */
export function realLinks(graph: Graph): readonly Link[] {
  const nodes = nodesById(graph)
  return graph.links.items.map((link) => realTarget(link, nodes.get(link.to.node)))
}
