import { dataFolder } from '../../../../app/cli/find-service.ts'
import type { Output } from '../../../../app/cli/output.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { JsonObject } from '../../../../lib/json/value.ts'
import { PACKAGE_INDEX_FILE, readPackageIndexFile } from '../../../../shipped-files/resources.ts'
import { readDocument, subgraphsOf } from '../../rules/document/document.ts'
import {
  type NodePackage,
  type PackagesByClass,
  packagesByClass,
  packagesOfDocument,
  packagesOfPayload,
  withNamed,
} from '../../rules/node-packages.ts'
import { type NodeTypes, typesHere } from '../../rules/node-types.ts'
import { readPayloadNode, readPayloadNodes } from '../../rules/payload.ts'
import { type Problem, unknownClasses, withPackages } from '../../rules/problem.ts'
import { toResolvedPayload } from '../../rules/resolve/resolve.ts'
import { seedsOf } from '../../rules/runs/graph-export.ts'
import { modelsOf } from '../../rules/runs/graph-models.ts'
import { imagesOf } from '../../rules/runs/payload-files.ts'
import { validate } from '../../rules/validate.ts'
import type { GraphFile } from './read-graph-file.ts'

export type ClassFacts = {
  readonly name: string
  readonly count: number
  readonly known: boolean
  readonly packages?: readonly NodePackage[]
}

export type GraphFacts = {
  readonly form: 'document' | 'payload'
  readonly version?: number
  readonly nodes: number
  readonly runs: number
  readonly links: number
  readonly groups: number
  readonly subgraphs: number
  readonly classes: readonly ClassFacts[]
  readonly models: readonly { readonly node: string; readonly input: string; readonly name: string }[]
  readonly files: readonly { readonly node: string; readonly input: string; readonly name: string }[]
  readonly seeds: readonly { readonly node: string; readonly input: string; readonly value: string }[]
  readonly outputs: readonly string[]
}

export function graphFacts(graph: Pick<GraphFile, 'form' | 'raw'>, types: NodeTypes, now: number): GraphFacts {
  const { payload } = checkedPayload(graph, types, now)
  const nodes = readPayloadNodes(payload)
  const counts = Map.groupBy(nodes, ({ classType }) => classType)
  return {
    form: graph.form,
    ...shapeOf(graph, nodes.length),
    runs: nodes.length,
    classes: [...counts]
      .map(([name, of]) => ({ name, count: of.length, known: typesHere(types).has(name) }))
      .sort((one, other) => other.count - one.count || one.name.localeCompare(other.name)),
    models: modelsOf(nodes).map(({ node, input, asked }) => ({ node, input, name: asked })),
    files: imagesOf(payload, types),
    seeds: seedsOf(nodes),
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

export type CheckedPayload = { readonly payload: JsonObject; readonly problems: readonly Problem[] }

/**
 * Converts if needed and checks.
 * @param now ms since the epoch, for dates in file names
 */
export function checkedPayload(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  types: NodeTypes,
  now: number,
): CheckedPayload {
  if (form === 'payload') return { payload: raw, problems: validate(raw, types) }
  const { payload, problems } = toResolvedPayload(readDocument(raw), types, now)
  return { payload, problems: [...problems, ...validate(payload, types)] }
}

/** Returns the packages of classes; rejects with a readable reason if the index is unreadable. */
export type PackageIndex = (classes: readonly string[]) => Promise<PackagesByClass>

export const indexOfFolder =
  (data: string | undefined, surroundings: Surroundings): PackageIndex =>
  () =>
    readPackageIndexFile(dataFolder(data, surroundings))

export const indexOfService =
  (client: ServiceClient): PackageIndex =>
  async (classes) =>
    packagesByClass(await client.call('nodePackages', { body: { classes: [...classes] } }))

type Given = {
  readonly graph: Pick<GraphFile, 'form' | 'raw'>
  readonly index: PackageIndex
  readonly output: Output
}

async function graphPackages(classes: readonly string[], { graph, index, output }: Given): Promise<PackagesByClass> {
  const { form, raw } = graph
  const named = form === 'payload' ? packagesOfPayload(raw) : packagesOfDocument(readDocument(raw))
  const indexed = await index(classes).catch((error: Error): PackagesByClass => {
    output.note(`${PACKAGE_INDEX_FILE} in the data folder cannot be read: ${error.message}.`)
    return new Map()
  })
  return withNamed(indexed, named)
}

export async function namePackages(
  problems: readonly Problem[],
  payload: JsonObject,
  given: Given,
): Promise<readonly Problem[]> {
  const classOf = (id: string) => readPayloadNode(id, payload.get(id))?.classType
  const classes = unknownClasses(problems, classOf)
  return classes.length === 0 ? problems : withPackages(problems, classOf, await graphPackages(classes, given))
}

export async function withPackagesOf(facts: GraphFacts, given: Given): Promise<GraphFacts> {
  const unknown = facts.classes.flatMap(({ name, known }) => (known ? [] : [name]))
  if (unknown.length === 0) return facts
  const packages = await graphPackages(unknown, given)
  const classes = facts.classes.map((one) => {
    const named = one.known ? undefined : packages.get(one.name)
    return named === undefined ? one : { ...one, packages: named }
  })
  return { ...facts, classes }
}
