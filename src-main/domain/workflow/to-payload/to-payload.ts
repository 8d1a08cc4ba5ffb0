/**
 * From a document to a payload: what the editor sends to a worker. Source: image-workflows, rule 3; editor research, 2.
 */
import { sentValues } from '../default-values.ts'
import type { GraphNode, WorkflowDocument } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { innerIds } from '../inner-ids.ts'
import { isArray, isObject, type JsonObject, type JsonValue, jsonNumber } from '../json/value.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import type { Problem } from '../problem.ts'
import { OTHER_INPUTS } from '../widgets.ts'
import { createFiller } from './fill-in-names.ts'
import { type InnerValue, type Source, sourceOfInput } from './find-source.ts'
import { nodeProblem } from './node-problems.ts'
import { isGroupNode, openGroupNodes } from './open-group-nodes.ts'
import { inOrder } from './order.ts'
import { isActive, isVirtual, outermost, payloadId, type Scope, whyClosed, within } from './scope.ts'

/** A payload, and what could not be taken over. */
export type Conversion = { readonly payload: JsonObject; readonly problems: readonly Problem[] }

// Subgraphs within subgraphs can name more nodes than there is memory for; the largest graphs seen have 1,000.
const NODES_MAX = 100_000
const TOO_LARGE: Problem = {
  code: 'too_large',
  severity: 'error',
  message: `The graph has ${NODES_MAX} nodes or more, with those of its subgraphs. Run it in parts.`,
}

/**
 * Converts a document.
 * @param types classes whose values can be named
 * @param now ms since the epoch, for dates in the names of files
 */
export function toPayload(document: WorkflowDocument, types: NodeTypes, now: number): Conversion {
  const problems: Problem[] = []
  const nodes: (readonly [string, JsonObject])[] = []
  const root = outermost(openGroupNodes(document, types), innerIds(document))
  const fill = createFiller(root, types, now)
  const innerValue: InnerValue = (node, widget) => sentValues(node, typeOfNode(node, types))?.get(widget)

  const addAll = (scope: Scope) => {
    for (const node of inOrder(scope)) {
      if (!isActive(node)) continue
      if (nodes.length >= NODES_MAX) return
      const problem = nodeProblem(scope, node)
      if (problem !== undefined) problems.push(problem)
      if (isVirtual(node) || whyClosed(scope, node) !== undefined) continue
      const inner = within(scope, node)
      if (inner !== undefined) addAll(inner)
      else nodes.push([payloadId(scope, node.id ?? ''), payloadNode(scope, node)])
    }
  }
  const payloadNode = (scope: Scope, node: GraphNode): JsonObject => {
    const type = typeOfNode(node, types)
    const title = node.title ?? type?.displayName ?? node.type ?? ''
    return new Map<string, JsonValue>([
      ['inputs', inputsOf(scope, node, type)],
      ['class_type', node.type ?? ''],
      ['_meta', new Map([['title', title]])],
    ])
  }
  const inputsOf = (scope: Scope, node: GraphNode, type: NodeType | undefined): JsonObject => {
    const id = payloadId(scope, node.id ?? '')
    const values = sentValues(node, type)
    if (values === undefined && !isGroupNode(node)) problems.push(valuesNotNamed(id, node))
    const inputs = new Map<string, JsonValue>()
    for (const [name, value] of values ?? []) inputs.set(name, asInput(fill(node, name, value)))
    const { properties } = node
    const others = isObject(properties) ? properties.get(OTHER_INPUTS) : undefined
    for (const [name, value] of isObject(others) ? others : []) inputs.set(name, value)
    for (const slot of node.inputs.items) {
      const name = slot.name ?? ''
      const source = sourceOfInput(scope, slot, innerValue)
      const value = inputValue(source)
      if (value !== undefined) inputs.set(name, value)
      const problem = problemOf(source, id, name)
      if (problem !== undefined) problems.push(problem)
    }
    return inputs
  }

  addAll(root)
  if (nodes.length >= NODES_MAX) problems.push(TOO_LARGE)
  return { payload: new Map(integersFirst(nodes)), problems }
}

// An array of two would be read as a link.
function asInput(value: JsonValue): JsonValue {
  return isArray(value) ? new Map([['__value__', value]]) : value
}

function inputValue(source: Source): JsonValue | undefined {
  if (source.kind === 'output') return [source.node, jsonNumber(source.slot)]
  return source.kind === 'value' ? asInput(source.value) : undefined
}

function problemOf(source: Source, node: string, input: string): Problem | undefined {
  const at = { node, input, severity: 'error' } as const
  if (source.kind === 'loop')
    return { ...at, code: 'cycle', message: `Input ${input} leads back to itself. Cut one of the links of the loop.` }
  if (source.kind !== 'dangling') return undefined
  const message = `Input ${input} is linked to node ${source.node}, which is not there. Link it to another one.`
  return { ...at, code: 'dangling_link', message }
}

function valuesNotNamed(node: string, { type }: GraphNode): Problem {
  return {
    code: 'values_not_named',
    severity: 'warning',
    node,
    message: `The values of ${type} have no names in this file, and its class is not known here. Choose an endpoint that has the class.`,
  }
}

/** As JavaScript orders keys: whole numbers first, ascending; then the others as they come. */
function integersFirst<Item>(entries: readonly (readonly [string, Item])[]): readonly (readonly [string, Item])[] {
  const isInteger = ([id]: readonly [string, Item]) => /^\d+$/.test(id)
  const integers = entries.filter(isInteger).sort(([one], [other]) => Number(one) - Number(other))
  return [...integers, ...entries.filter((entry) => !isInteger(entry))]
}
