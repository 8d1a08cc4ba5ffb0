import { type JsonArray, type JsonObject, type JsonValue, jsonNumber } from '../../../../lib/json/value.ts'
import { defaultValue, defaultValues } from '../default-values.ts'
import { type GraphNode, readNode, subgraphsOf, type WorkflowDocument } from '../document/document.ts'
import { idJson, type Pair } from '../document/fields.ts'
import { nodeSize } from '../document/node-size.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isWidget } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { isControlled, widgetValues } from '../widgets.ts'
import { link } from './connect.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import { type GraphAddress, graphAt } from './graph-at.ts'
import { newInput, newOutput } from './slots.ts'

export type Added = { readonly document: WorkflowDocument; readonly id: string }

export function addNode(
  document: WorkflowDocument,
  at: GraphAddress,
  { type, pos }: { readonly type: NodeType; readonly pos: Pair },
): Added {
  return add(document, at, (id) => nodeOfType(id, type, pos))
}

function nodeOfType(id: string, declared: NodeType, pos: Pair): GraphNode {
  const type = typeOfNew(declared)
  const sockets = type.inputs.filter((input) => !isWidget(input))
  const node = bareNode({
    id,
    type: type.name,
    pos,
    size: nodeSize(sockets.length, type.outputs.length, type),
    properties: new Map([['Node name for S&R', type.name]]),
    values: defaultValues(type),
  })
  const inputs = sockets.map((one) => newInput({ ...one, isOptional: !one.isRequired }))
  return {
    ...node,
    inputs: { ...node.inputs, items: inputs },
    outputs: { ...node.outputs, items: type.outputs.map(newOutput) },
  }
}

function typeOfNew(declared: NodeType): NodeType {
  const bare = readNode(new Map([['type', declared.name]]))
  return typeOfNode(bare, new Map([[declared.name, declared]])) ?? declared
}

const NOTE_SIZE: Pair = [315, 150]

export function addNote(
  document: WorkflowDocument,
  at: GraphAddress,
  note: { readonly kind: 'note' | 'markdown'; readonly text: string; readonly pos: Pair; readonly size?: Pair },
): Added {
  const { kind, text, pos, size = NOTE_SIZE } = note
  const type = kind === 'note' ? 'Note' : 'MarkdownNote'
  const colours = { color: '#432', bgcolor: '#653' }
  return add(document, at, (id) => {
    return { ...bareNode({ id, type, pos, size, properties: new Map(), values: [text] }), ...colours }
  })
}

export function addRerouteNode(document: WorkflowDocument, at: GraphAddress, pos: Pair): Added {
  return add(document, at, (id) => {
    const properties = new Map<string, JsonValue>([
      ['showOutputText', false],
      ['horizontal', false],
    ])
    const node = bareNode({ id, type: 'Reroute', pos, size: [75, 26], properties, values: undefined })
    const input = newInput({ name: '', type: '*', isOptional: false })
    return {
      ...node,
      inputs: { ...node.inputs, items: [input] },
      outputs: { ...node.outputs, items: [newOutput({ name: '', type: '*' })] },
    }
  })
}

export function addPrimitive(
  document: WorkflowDocument,
  at: GraphAddress,
  target: { readonly node: string; readonly input: string; readonly pos: Pair; readonly types: NodeTypes },
): Added | undefined {
  const node = graphAt(document, at)?.nodes.items.find(({ id }) => id === target.node)
  const type = node && typeOfNode(node, target.types)
  const input = type?.inputs.find(({ name }) => name === target.input)
  if (node === undefined || input === undefined || !isWidget(input)) return undefined
  const value = widgetValues(node, type)?.get(input.name) ?? defaultValue(input)
  const hasControl = ['INT', 'FLOAT', 'COMBO'].includes(input.type)
  const control = isControlled(input) ? 'randomize' : 'fixed'
  const values: JsonArray = hasControl ? [value, control, ...(input.type === 'COMBO' ? [''] : [])] : [value]
  const properties = new Map([['Run widget replace on values', false]])
  return add(
    document,
    at,
    (id) => {
      const primitive = bareNode({ id, type: 'PrimitiveNode', pos: target.pos, size: [210, 82], properties, values })
      const output = newOutput({ name: input.type, type: input.type })
      const widget = new Map([['name', input.name]])
      const raw = new Map<string, JsonValue>([...output.raw, ['widget', widget]])
      return { ...primitive, outputs: { ...primitive.outputs, items: [{ ...output, raw }] } }
    },
    (draft, id) => link(draft, { node: id, slot: 0 }, { node: target.node, name: input.name }, target.types),
  )
}

/**
 * Copies another instance's values, if any.
 * @returns undefined if the definition is missing or would contain itself
 */
export function addSubgraphInstance(
  document: WorkflowDocument,
  at: GraphAddress,
  { definition: id, pos }: { readonly definition: string; readonly pos: Pair },
): Added | undefined {
  const definitions = subgraphsOf(document)
  const definition = definitions.get(id)
  if (definition === undefined || (at !== undefined && isWithin(document, id, at))) return undefined
  const graphs = [document, ...definitions.values()]
  const other = graphs.flatMap(({ nodes }) => nodes.items).find(({ type }) => type === id)
  return add(document, at, (nodeId) => {
    const node = bareNode({
      id: nodeId,
      type: id,
      pos,
      size: other?.size ?? [315, 200],
      properties: new Map(),
      values: [],
    })
    const inputs = definition.inputs.items.map(({ name = '', type }) => {
      const widget = other?.inputs.items.find((one) => one.name === name)?.widget
      return newInput({ name, type, isOptional: false, ...(widget === undefined ? {} : { widget }) })
    })
    return {
      ...node,
      inputs: { ...node.inputs, items: inputs },
      outputs: {
        ...node.outputs,
        items: definition.outputs.items.map(({ name = '', type }) => newOutput({ name, type })),
      },
      properties: other?.properties ?? node.properties,
      widgetValues: other?.widgetValues ?? node.widgetValues,
    }
  })
}

function isWithin(document: WorkflowDocument, definition: string, at: string): boolean {
  const definitions = subgraphsOf(document)
  const seen = new Set<string>()
  const waiting = [definition]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === at) return true
    if (seen.has(id)) continue
    seen.add(id)
    for (const { type = '' } of definitions.get(id)?.nodes.items ?? []) if (definitions.has(type)) waiting.push(type)
  }
  return false
}

function add(
  document: WorkflowDocument,
  at: GraphAddress,
  make: (id: string) => GraphNode,
  then: (draft: GraphDraft, id: string) => void = () => undefined,
): Added {
  let id = ''
  const changed = editGraph(document, at, (draft) => {
    id = draft.newId('node')
    draft.nodes.put(make(id))
    then(draft, id)
  })
  return { document: changed, id }
}

type Bare = {
  readonly id: string
  readonly type: string
  readonly pos: Pair
  readonly size: Pair
  readonly properties: JsonObject
  readonly values: JsonArray | undefined
}

export function bareNode({ id, type, pos, size, properties, values }: Bare): GraphNode {
  return readNode(
    new Map<string, JsonValue>([
      ['id', idJson(id) ?? null],
      ['type', type],
      ['pos', [jsonNumber(pos[0]), jsonNumber(pos[1])]],
      ['size', [jsonNumber(size[0]), jsonNumber(size[1])]],
      ['flags', new Map()],
      ['order', { number: '0' }],
      ['mode', { number: '0' }],
      ['inputs', []],
      ['outputs', []],
      ['properties', properties],
      ...(values === undefined ? [] : [['widgets_values', values] as const]),
    ]),
  )
}
