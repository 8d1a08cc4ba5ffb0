import { readDocument, subgraphsOf } from '../../domain/workflow/document/document.ts'
import { isNumber } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { NodePackage } from '../../domain/workflow/packages/node-package.ts'
import { readPayloadNodes } from '../../domain/workflow/payload.ts'
import { imagesOf } from '../../domain/workflow/view/images-of.ts'
import { modelsOf } from '../../domain/workflow-runs/installed-models.ts'
import { checkedPayload } from './as-payload.ts'
import type { GraphFile } from './read-graph-file.ts'

/** A class of a graph. `packages`: those that have it, where it is not known and they are. */
export type ClassFacts = {
  readonly name: string
  readonly count: number
  readonly known: boolean
  readonly packages?: readonly NodePackage[]
}

/** What a graph is, needs and gives. */
export type GraphFacts = {
  readonly form: 'document' | 'payload'
  readonly version?: number
  /** As they are in the file; `runs`: those of the payload. */
  readonly nodes: number
  readonly runs: number
  readonly links: number
  readonly groups: number
  readonly subgraphs: number
  readonly classes: readonly ClassFacts[]
  readonly models: readonly { readonly node: string; readonly input: string; readonly name: string }[]
  readonly files: readonly { readonly node: string; readonly input: string; readonly name: string }[]
  /** Seeds to their last digit, as text. */
  readonly seeds: readonly { readonly node: string; readonly input: string; readonly value: string }[]
  readonly outputs: readonly string[]
}

const SEED_INPUT = /^(?:noise_)?seed$/

/** Looks a graph through. @param now ms since the epoch */
export function graphFacts(graph: Pick<GraphFile, 'form' | 'raw'>, types: NodeTypes, now: number): GraphFacts {
  const { payload } = checkedPayload(graph, types, now)
  const nodes = readPayloadNodes(payload)
  const counts = Map.groupBy(nodes, ({ classType }) => classType)
  const seeds = nodes.flatMap(({ id, inputs }) =>
    [...inputs].flatMap(([input, value]) =>
      SEED_INPUT.test(input) && isNumber(value) ? [{ node: id, input, value: value.number }] : [],
    ),
  )
  return {
    form: graph.form,
    ...shapeOf(graph, nodes.length),
    runs: nodes.length,
    classes: [...counts]
      .map(([name, of]) => ({ name, count: of.length, known: types.has(name) }))
      .sort((one, other) => other.count - one.count || one.name.localeCompare(other.name)),
    models: modelsOf(nodes).map(({ node, input, asked }) => ({ node, input, name: asked })),
    files: imagesOf(payload, types),
    seeds,
    outputs: nodes.flatMap(({ id, classType }) => (types.get(classType)?.isOutput === true ? [id] : [])),
  }
}

function shapeOf({ form, raw }: Pick<GraphFile, 'form' | 'raw'>, payloadNodes: number) {
  if (form === 'payload') return { nodes: payloadNodes, links: 0, groups: 0, subgraphs: 0 }
  const document = readDocument(raw)
  const { nodes, links, groups, version } = document
  return {
    ...(version === undefined ? {} : { version }),
    nodes: nodes.items.length,
    links: links.items.length,
    groups: groups.items.length,
    subgraphs: subgraphsOf(document).size,
  }
}
