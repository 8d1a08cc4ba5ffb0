/** Invariants of every graph that was only edited here. */
import {
  type Graph,
  type Link,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../../src-main/features/workflows/rules/document/document.ts'
import { lastReroutes, reroutesOf } from '../../src-main/features/workflows/rules/edit/reroutes.ts'
import { asId, isArray } from '../../src-main/lib/json/value.ts'

/** The rules that a document breaks, in words; none: it is sound. */
export function brokenRules(document: WorkflowDocument): readonly string[] {
  const graphs: readonly (readonly [string, Graph | Subgraph])[] = [['root', document], ...subgraphsOf(document)]
  const nodeIds = graphs.flatMap(([, { nodes }]) => nodes.items.map(({ id }) => `node ${id}`))
  const linkIds = graphs.flatMap(([, { links }]) => links.items.map(({ id }) => `link ${id}`))
  return [
    ...twice([...nodeIds, ...linkIds]).map((id) => `${id} is there twice`),
    ...graphs.flatMap(([name, graph]) => brokenIn(graph).map((rule) => `${name}: ${rule}`)),
  ]
}

const twice = (ids: readonly string[]) => ids.filter((id, at) => ids.indexOf(id) !== at)

function brokenIn(graph: Graph | Subgraph): readonly string[] {
  const broken = graph.links.items.flatMap((link) => brokenLink(graph, link))
  const links = new Set(graph.links.items.map(({ id }) => id))
  const named = [
    ...graph.nodes.items.flatMap(({ inputs }) => inputs.items.flatMap(({ link }) => link ?? [])),
    ...graph.nodes.items.flatMap(({ outputs }) => outputs.items.flatMap((slot) => slot.links)),
    ...boundary(graph, 'inputs').flatMap(({ linkIds }) => linkIds),
    ...boundary(graph, 'outputs').flatMap(({ linkIds }) => linkIds),
    ...reroutesOf(graph).flatMap((one) => {
      const ids = one.get('linkIds')
      return isArray(ids) ? ids.map((id) => asId(id) ?? '') : []
    }),
    ...lastReroutes(graph).keys(),
  ]
  const reroutes = new Set(reroutesOf(graph).map((one) => asId(one.get('id'))))
  const lost = [...lastReroutes(graph).values()].filter((id) => !reroutes.has(id))
  return [
    ...broken,
    ...named.filter((id) => !links.has(id)).map((id) => `link ${id} is named and not there`),
    ...lost.map((id) => `reroute ${id} is named and not there`),
  ]
}

function boundary(graph: Graph | Subgraph, side: 'inputs' | 'outputs') {
  return side in graph ? (graph as Subgraph)[side].items : []
}

function brokenLink(graph: Graph | Subgraph, { id, from, to }: Link): readonly string[] {
  const nodeOf = (node: string) => graph.nodes.items.find((one) => one.id === node)
  const origin =
    from.node === SUBGRAPH_INPUT
      ? boundary(graph, 'inputs')[from.slot]?.linkIds
      : nodeOf(from.node)?.outputs.items[from.slot]?.links
  const isEntered =
    to.node === SUBGRAPH_OUTPUT
      ? boundary(graph, 'outputs')[to.slot]?.linkIds.includes(id)
      : nodeOf(to.node)?.inputs.items[to.slot]?.link === id
  return [
    ...(origin?.includes(id) ? [] : [`link ${id} is not at its output`]),
    ...(isEntered ? [] : [`link ${id} is not at its input`]),
  ]
}
