/**
 * Converts a document to a payload, which the editor sends to a worker. Source: docs/spec/image-workflows.md, 2.3;
 * docs/spec/comfyui.md, 2.
 */

import { asText } from '../../../../lib/json/plain.ts'
import {
  isArray,
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonNumber,
  writeJson,
} from '../../../../lib/json/value.ts'
import { keepStart } from '../../../../lib/text.ts'
import { sentValues } from '../default-values.ts'
import type { GraphNode, InputSlot, WorkflowDocument } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isAny, isWidget } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { innerIds } from '../payload-ids.ts'
import { danglingLink, type Problem } from '../problem.ts'
import { OTHER_INPUTS } from '../widgets.ts'
import {
  type InnerValue,
  isActive,
  outermost,
  payloadId,
  type Scope,
  type Source,
  setterOf,
  sourceOfInput,
  valueOfWidget,
  whyClosed,
  within,
} from './find-source.ts'
import { openGroupNodes } from './open-group-nodes.ts'
import { hasEverywhereLinks, restoreLinks } from './restore-links.ts'
import { isGroupNode, isOfPageScript, virtualKind } from './virtual-nodes.ts'

export type Conversion = { readonly payload: JsonObject; readonly problems: readonly Problem[] }

// Nested subgraphs can name more nodes than fit into memory; the largest known graphs have 1,000.
const NODES_MAX = 100_000
const TOO_LARGE: Problem = {
  code: 'too_large',
  severity: 'error',
  message: `The graph has ${NODES_MAX} nodes or more, with those of its subgraphs. Run it in parts.`,
}

/**
 * @param types classes whose values can be named
 * @param now ms since the epoch, for dates in file names
 */
export function toPayload(document: WorkflowDocument, types: NodeTypes, now: number): Conversion {
  const problems: Problem[] = []
  const opened = openGroupNodes(document, types)
  const restored = restoreLinks(opened.document, types)
  const root = outermost(restored.document, innerIds(document))
  const fill = createFiller(root, types, now)
  const innerValue: InnerValue = (node, widget) => sentValues(node, typeOfNode(node, types))?.get(widget)

  const sent = new Map<string, { readonly scope: Scope; readonly node: GraphNode }>()
  // Subgraphs of nothing but subgraphs send none of their nodes, and may have endless ones.
  let visited = 0
  const addAll = (scope: Scope) => {
    problems.push(...unlinkedByEverywhere(scope))
    for (const node of inOrder(scope)) {
      if (!isActive(node)) continue
      if (visited >= NODES_MAX) return
      visited += 1
      const problem = nodeProblem(scope, node, opened.reasons)
      if (problem !== undefined) problems.push(problem)
      if (virtualKind(node) !== undefined || whyClosed(scope, node) !== undefined) continue
      const inner = within(scope, node)
      if (inner !== undefined) addAll(inner)
      else if (!isOfPageScript(node, types)) sent.set(payloadId(scope, node.id ?? ''), { scope, node })
    }
  }
  const payloadNode = (id: string, scope: Scope, node: GraphNode): JsonObject => {
    const type = typeOfNode(node, types)
    const title = node.title ?? type?.displayName ?? node.type ?? ''
    return new Map<string, JsonValue>([
      ['inputs', inputsOf(id, scope, node, type)],
      ['class_type', node.type ?? ''],
      ['_meta', new Map([['title', title]])],
    ])
  }
  const inputsOf = (id: string, scope: Scope, node: GraphNode, type: NodeType | undefined): JsonObject => {
    const values = sentValues(node, type)
    if (values === undefined && !isGroupNode(node)) problems.push(valuesNotNamed(id, node))
    const inputs = new Map<string, JsonValue>()
    for (const [name, value] of values ?? [])
      inputs.set(name, asInput(fill(node, name, valueOfWidget(scope, node, name) ?? value)))
    const { properties } = node
    const others = isObject(properties) ? properties.get(OTHER_INPUTS) : undefined
    for (const [name, value] of isObject(others) ? others : []) inputs.set(name, value)
    for (const slot of node.inputs.items) {
      const name = slot.name ?? ''
      const found = sentSource(sourceOfInput(scope, slot, innerValue))
      // A primitive sets widgets, not sockets.
      const source: Source = isPushed(found) && isSocket(slot, type) ? { kind: 'nothing' } : found
      const value = inputValue(source)
      if (value !== undefined) inputs.set(name, value)
      const problem = problemOf(source, id, name)
      if (problem !== undefined) problems.push(problem)
      if (value !== undefined && restored.slots.has(slot)) problems.push(linkRestored(id, name))
    }
    return inputs
  }
  const sentSource = (source: Source): Source =>
    source.kind === 'output' && !sent.has(source.node) ? { kind: 'dangling', node: source.node } : source

  addAll(root)
  if (visited >= NODES_MAX) problems.push(TOO_LARGE)
  const nodes = [...sent].map(([id, { scope, node }]) => [id, payloadNode(id, scope, node)] as const)
  return { payload: new Map(integersFirst(nodes)), problems }
}

const isPushed = (source: Source): boolean => source.kind === 'value' && source.isOfPrimitive

const isSocket = ({ name, widget }: InputSlot, type: NodeType | undefined): boolean =>
  widget === undefined && type !== undefined && !type.inputs.some((input) => input.name === name && isWidget(input))

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
    return {
      ...at,
      code: 'cycle',
      message: `Input ${input} leads back to itself. Remove one of the links of the loop.`,
    }
  return source.kind === 'dangling' ? danglingLink(source.node, node, input) : undefined
}

const VALUE_LETTERS = 40

function valuesNotNamed(node: string, { type, widgetValues }: GraphNode): Problem {
  const values = (isArray(widgetValues) ? widgetValues : []).map((value) => keepStart(writeJson(value), VALUE_LETTERS))
  return {
    code: 'values_not_named',
    severity: 'warning',
    node,
    message: `The file does not name the values of ${type} (${keepStart(values.join(', '), 5 * VALUE_LETTERS)}), and its class is unknown here, so they are not sent. Choose an endpoint that has the class, or save the file in a newer ComfyUI that has it.`,
  }
}

function linkRestored(node: string, input: string): Problem {
  const message = `The link of input ${input} is only in the file's list of links. It is sent, as by ComfyUI's newest page; older pages drop it. Link the input again to be sure.`
  return { code: 'link_restored', severity: 'warning', node, input, message }
}

/** JavaScript's order of keys: whole numbers first, ascending; then the others in order. */
function integersFirst<Item>(entries: readonly (readonly [string, Item])[]): readonly (readonly [string, Item])[] {
  const isInteger = ([id]: readonly [string, Item]) => /^\d+$/.test(id)
  const integers = entries.filter(isInteger).sort(([one], [other]) => Number(one) - Number(other))
  return [...integers, ...entries.filter((entry) => !isInteger(entry))]
}

/** Topological order, otherwise document order; nodes of a loop come last. Source: docs/spec/comfyui.md, 2. */
function inOrder({ graph, nodes, links }: Scope): readonly GraphNode[] {
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
      if (left === 0 && fed !== undefined) ready.push(fed)
    }
  }
  return [...ordered, ...graph.nodes.items.filter((node) => !ordered.has(node))]
}

// Problems of a node for a conversion. Source: docs/spec/comfyui.md, 1 and 2.
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

function nodeProblem(scope: Scope, node: GraphNode, closedGroups: ReadonlyMap<string, string>): Problem | undefined {
  const { type = '' } = node
  const id = payloadId(scope, node.id ?? '')
  const warning = (code: Problem['code'], message: string): Problem => ({
    code,
    severity: 'warning',
    node: id,
    message,
  })
  const error = (code: Problem['code'], message: string): Problem => ({ code, severity: 'error', node: id, message })
  const closed = whyClosed(scope, node)
  if (closed === 'within itself') return error('cycle', 'The subgraph of the node contains itself. Remove the node.')
  if (closed === 'too deep') return error('too_large', 'The node is nested in too many subgraphs. Unpack some of them.')
  if (virtualKind(node) === 'get' && setterOf(scope, node) === undefined)
    return warning('needs_extension', 'No node sets the value that this node gets by name. Link its targets directly.')
  if (virtualKind(node) === 'everywhere' && !hasEverywhereLinks(scope.graph))
    return warning(
      'needs_extension',
      `${type} passes on its inputs without links, and the file does not say where to. Link them to the nodes that need them.`,
    )
  if (isGroupNode(node) && !scope.definitions.has(type)) {
    const reason = closedGroups.get(node.id ?? '') ?? 'it is inside a subgraph'
    return error(
      'needs_extension',
      `It is a group node of an older editor and cannot be opened: ${reason}. Open the file in ComfyUI and convert it to a subgraph.`,
    )
  }
  if (UUID.test(type) && !scope.definitions.has(type))
    return error('subgraph_missing', 'The subgraph of the node is not in the file. Open the file that it came from.')
  return undefined
}

/** Warns of each input that Use Everywhere may have fed, if the file does not say which. */
function unlinkedByEverywhere(scope: Scope): readonly Problem[] {
  const { graph, nodes, links } = scope
  const senders = graph.nodes.items.filter((node) => virtualKind(node) === 'everywhere' && isActive(node))
  if (senders.length === 0 || hasEverywhereLinks(graph)) return []
  const sources = senders.flatMap(({ type: sender, inputs }) =>
    inputs.items.flatMap(({ link = '' }) => {
      const from = links.get(link)?.from
      const type = from && nodes.get(from.node)?.outputs.items[from.slot]?.type
      return from === undefined || type === undefined || isAny(type) ? [] : [{ sender, from, type }]
    }),
  )
  const receivers = graph.nodes.items.filter((node) => virtualKind(node) === undefined && isActive(node))
  return receivers.flatMap((node) =>
    node.inputs.items.flatMap(({ name = '', type, link, widget }): readonly Problem[] => {
      const source = sources.find((one) => one.type === type)
      if (source === undefined || link !== undefined || widget !== undefined) return []
      const { sender, from } = source
      const message = `Input ${name} has no link. ${sender} may have fed it from output ${from.slot} of node ${payloadId(scope, from.node)}. Link them.`
      return [
        { code: 'needs_extension', severity: 'warning', node: payloadId(scope, node.id ?? ''), input: name, message },
      ]
    }),
  )
}

// Placeholders like `%KSampler.seed%` and `%date:yyyy-MM-dd%` in file names of saving nodes. Source:
// docs/spec/comfyui.md, 2, Replacement.
const SAVING = new Set([
  ...['SaveImage', 'SaveVideo', 'SaveAnimatedWEBP', 'SaveAnimatedPNG', 'SaveWEBM', 'SaveAudio', 'SaveGLB'],
  ...['SaveLatent', 'CLIPSave', 'VAESave', 'ModelSave', 'LoraSave'],
])
const PLACEHOLDER = /%([^%]+)%/g
// As in the editor: these cannot be in file names.
const NOT_IN_NAMES = /[/\\:*?"<>|]/g

type Filler = (node: GraphNode, widget: string, value: JsonValue) => JsonValue

function createFiller(scope: Scope, types: NodeTypes, now: number): Filler {
  function textOf(placeholder: string): string | undefined {
    const date = /^date:(.+)$/.exec(placeholder)?.[1]
    if (date !== undefined) return writeDate(date, new Date(now))
    const [name, widget, ...more] = placeholder.split('.')
    if (widget === undefined || more.length > 0) return undefined
    const nodes = scope.graph.nodes.items
    const node = nodes.find((one) => searchName(one) === name) ?? nodes.find(({ title }) => title === name)
    if (node === undefined) return undefined
    const value = sentValues(node, typeOfNode(node, types))?.get(widget)
    const text = isNumber(value) ? value.number : asText(value)
    return text?.replace(NOT_IN_NAMES, '_')
  }
  return (node, widget, value) => {
    if (widget !== 'filename_prefix' || typeof value !== 'string' || !SAVING.has(node.type ?? '')) return value
    return value.replace(PLACEHOLDER, (whole, placeholder: string) => textOf(placeholder) ?? whole)
  }
}

function searchName({ properties }: GraphNode): string | undefined {
  return isObject(properties) ? asText(properties.get('Node name for S&R')) : undefined
}

function writeDate(pattern: string, at: Date): string {
  const parts: Readonly<Record<string, number>> = {
    d: at.getDate(),
    M: at.getMonth() + 1,
    h: at.getHours(),
    m: at.getMinutes(),
    s: at.getSeconds(),
  }
  return pattern.replace(/yyyy|yy|([dMhms])\1?/g, (letters, letter?: string) => {
    const value = letter === undefined ? String(at.getFullYear()).slice(-letters.length) : String(parts[letter])
    return value.padStart(letters.length, '0')
  })
}
