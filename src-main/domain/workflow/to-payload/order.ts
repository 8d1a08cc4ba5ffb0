import type { GraphNode } from '../document/document.ts'
import type { Scope } from './scope.ts'

/**
 * The nodes of a graph, each after those it gets data from, else as the document has them; nodes of a loop come last.
 * Source: editor research, 2, item 2.
 */
export function inOrder({ graph, nodes, links }: Scope): readonly GraphNode[] {
  const waitsFor = new Map<string, number>()
  const feeds = new Map<string, string[]>()
  for (const { from, to } of links.values()) {
    if (!nodes.has(from.node) || !nodes.has(to.node)) continue
    waitsFor.set(to.node, (waitsFor.get(to.node) ?? 0) + 1)
    const fed = feeds.get(from.node)
    if (fed === undefined) feeds.set(from.node, [to.node])
    else fed.push(to.node)
  }
  const ready = graph.nodes.items.filter(({ id }) => !waitsFor.has(id ?? ''))
  const ordered = new Set<GraphNode>()
  for (const node of ready) {
    ordered.add(node)
    for (const next of feeds.get(node.id ?? '') ?? []) {
      const left = (waitsFor.get(next) ?? 0) - 1
      waitsFor.set(next, left)
      const fed = nodes.get(next)
      if (left === 0 && fed !== undefined) ready.push(fed) // The loop goes on over what is added.
    }
  }
  return [...ordered, ...graph.nodes.items.filter((node) => !ordered.has(node))]
}
