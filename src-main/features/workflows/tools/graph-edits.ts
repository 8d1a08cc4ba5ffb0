import { z } from 'zod'
import { parseJson } from '../../../lib/json/parse.ts'
import { isNumber, type JsonValue } from '../../../lib/json/value.ts'
import type { WorkflowDocument } from '../rules/document/document.ts'
import { addNode, addNote } from '../rules/edit/add-node.ts'
import { canConnect, connect, disconnect } from '../rules/edit/connect.ts'
import { moveNodes, setMode, setTitle } from '../rules/edit/node-fields.ts'
import { removeNodes } from '../rules/edit/remove.ts'
import { setWidget } from '../rules/edit/widgets.ts'
import { createGraphViewer } from '../rules/graph-view.ts'
import { type NodeTypes, typesHere } from '../rules/node-types.ts'
import type { NodeView, WidgetView } from '../rules/node-view.ts'

const node = z.string().min(1).max(100).describe('id of a node')
const coordinates = z.tuple([z.number(), z.number()]).describe('x and y of its upper left corner')

export const graphEdit = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('add'),
    class: z.string().max(200).describe('class of the node, as workflow_classes has it'),
    as: z.string().max(50).optional().describe('a name for later edits of this call, instead of the id'),
    values: z.record(z.string(), z.unknown()).optional().describe('widgets to set'),
    position: coordinates.optional(),
    title: z.string().max(200).optional(),
  }),
  z.strictObject({
    do: z.literal('set'),
    node,
    input: z.string().max(200).describe('name of the widget'),
    value: z.unknown().describe('whole numbers above 2^53 as text'),
  }),
  z.strictObject({
    do: z.literal('connect'),
    from: node,
    output: z.union([z.string().max(200), z.number().int().min(0)]).describe('name or index of the output'),
    to: node,
    input: z.string().max(200),
  }),
  z.strictObject({ do: z.literal('disconnect'), node, input: z.string().max(200) }),
  z.strictObject({ do: z.literal('remove'), node }),
  z.strictObject({ do: z.literal('title'), node, title: z.string().max(200) }),
  z.strictObject({ do: z.literal('move'), node, position: coordinates }),
  z.strictObject({ do: z.literal('mode'), node, mode: z.enum(['always', 'mute', 'bypass']) }),
  z.strictObject({ do: z.literal('note'), text: z.string().max(10_000), position: coordinates.optional() }),
])

export type GraphEdit = z.output<typeof graphEdit>

export type EditedGraph = { readonly document: WorkflowDocument; readonly added: Readonly<Record<string, string>> }

export function editDocument(before: WorkflowDocument, edits: readonly GraphEdit[], types: NodeTypes): EditedGraph {
  const added = new Map<string, string>()
  const idOf = (name: string) => added.get(name) ?? name
  const document = edits.reduce((current, edit, index) => {
    try {
      return editOne(current, edit, { types, added, idOf })
    } catch (error) {
      throw new Error(`Edit ${index + 1} (${edit.do}): ${(error as Error).message} Nothing was changed.`)
    }
  }, before)
  return { document, added: Object.fromEntries(added) }
}

type Scope = {
  readonly types: NodeTypes
  readonly added: Map<string, string>
  readonly idOf: (name: string) => string
}

const viewGraph = createGraphViewer()
const STEP: readonly [number, number] = [60, 60]

function editOne(document: WorkflowDocument, edit: GraphEdit, { types, added, idOf }: Scope): WorkflowDocument {
  const view = viewGraph(document, undefined, types)
  const nodes = view?.nodes ?? []
  const find = (name: string) => requireNode(nodes, idOf(name))
  switch (edit.do) {
    case 'add': {
      const type = typesHere(types).get(edit.class)
      if (type === undefined)
        throw new Error(`there is no class ${edit.class}.${similar(edit.class, [...typesHere(types).keys()])}`)
      const { document: with_, id } = addNode(document, undefined, { type, pos: edit.position ?? freePlace(document) })
      added.set(edit.as ?? id, id)
      const titled = edit.title === undefined ? with_ : setTitle(with_, undefined, id, edit.title)
      return Object.entries(edit.values ?? {}).reduce((current, [input, value]) => {
        const made = requireNode(viewGraph(current, undefined, types)?.nodes ?? [], id)
        return setValue(current, made, { input, value, types })
      }, titled)
    }
    case 'set':
      return setValue(document, find(edit.node), { ...edit, types })
    case 'connect': {
      const [from, to] = [find(edit.from), find(edit.to)]
      const output = from.outputs.find(({ name, at }) => name === edit.output || at === edit.output)
      if (output === undefined)
        throw new Error(`${titleOf(from)} has no output ${edit.output}; it has ${namesOf(from.outputs)}.`)
      const ends = {
        from: { node: from.id, slot: output.at },
        to: { node: to.id, name: edit.input, slot: to.inputs.find(({ name }) => name === edit.input)?.at },
        types,
      }
      const can = canConnect(document, undefined, ends)
      if (!can.can) throw new Error(`${can.why} ${titleOf(to)} has the inputs ${namesOf(to.inputs)}.`)
      return connect(document, undefined, ends)
    }
    case 'disconnect': {
      const to = find(edit.node)
      const slot = to.inputs.find(({ name }) => name === edit.input)?.at
      if (slot === undefined) throw new Error(`${titleOf(to)} has no linked input ${edit.input}.`)
      return disconnect(document, undefined, { node: to.id, side: 'input', slot })
    }
    case 'remove':
      return removeNodes(document, undefined, new Set([find(edit.node).id]))
    case 'title':
      return setTitle(document, undefined, find(edit.node).id, edit.title)
    case 'move':
      return moveNodes(document, undefined, new Map([[find(edit.node).id, edit.position]]))
    case 'mode':
      return setMode(document, undefined, new Set([find(edit.node).id]), edit.mode)
    case 'note': {
      const pos = edit.position ?? freePlace(document)
      return addNote(document, undefined, { kind: 'note', text: edit.text, pos }).document
    }
  }
}

function requireNode(nodes: readonly NodeView[], id: string): NodeView {
  const found = nodes.find((one) => one.id === id)
  if (found === undefined)
    throw new Error(`there is no node ${id}. The graph has ${nodes.map((one) => one.id).join(', ') || 'none'}.`)
  return found
}

function setValue(
  document: WorkflowDocument,
  target: NodeView,
  { input, value, types }: { readonly input: string; readonly value: unknown; readonly types: NodeTypes },
): WorkflowDocument {
  const widget = target.widgets.find(({ name }) => name === input)
  if (widget === undefined)
    throw new Error(`${titleOf(target)} has no widget ${input}; it has ${namesOf(target.widgets)}.`)
  const json = valueFor(widget, value)
  const fit = typeOfValue(widget, json)
  if (fit !== undefined) throw new Error(`${titleOf(target)}.${input} takes ${fit}.`)
  return setWidget(document, undefined, { node: target.id, name: input, value: json, types })
}

// A 64-bit seed is a text here, because JavaScript's JSON would round it.
function valueFor({ input }: WidgetView, value: unknown): JsonValue {
  const isNumeric = input?.type === 'INT' || input?.type === 'FLOAT'
  if (isNumeric && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim())) return { number: value.trim() }
  return parseJson(JSON.stringify(value) ?? 'null') ?? null
}

function typeOfValue({ input }: WidgetView, value: JsonValue): string | undefined {
  switch (input?.type) {
    case 'INT':
      return isNumber(value) && /^-?\d+$/.test(value.number) ? undefined : 'a whole number'
    case 'FLOAT':
      return isNumber(value) ? undefined : 'a number'
    case 'BOOLEAN':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'STRING':
      return typeof value === 'string' ? undefined : 'a text'
    default:
      return undefined
  }
}

const titleOf = ({ id, title }: NodeView): string => `Node ${id} (${title})`
const namesOf = (list: readonly { readonly name: string }[]): string =>
  list.map(({ name }) => name).join(', ') || 'none'

const NAMED = 5

function similar(wanted: string, names: readonly string[]): string {
  const word = wanted.toLowerCase()
  const close = names.filter((name) => name.toLowerCase().includes(word) || word.includes(name.toLowerCase()))
  return close.length === 0 ? '' : ` There is ${close.slice(0, NAMED).join(', ')}.`
}

function freePlace({ nodes }: WorkflowDocument): readonly [number, number] {
  const right = nodes.items.map(({ pos, size }) => (pos?.[0] ?? 0) + (size?.[0] ?? 0))
  return [Math.max(0, ...right) + STEP[0], STEP[1]]
}
