/**
 * Random edits of a workflow document, as a person might make them, for properties that must hold after any of them.
 */
import fc from 'fast-check'
import { layOutNodes } from '../../src-main/features/workflows/rules/arrange/arrange-nodes.ts'
import {
  type Graph,
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
} from '../../src-main/features/workflows/rules/document/document.ts'
import {
  addNode,
  addNote,
  addPrimitive,
  addSubgraphInstance,
} from '../../src-main/features/workflows/rules/edit/add-node.ts'
import { duplicate } from '../../src-main/features/workflows/rules/edit/clipboard.ts'
import {
  canConnect,
  connect,
  disconnect,
  insertIntoLink,
  moveLinks,
} from '../../src-main/features/workflows/rules/edit/connect.ts'
import { dissolve } from '../../src-main/features/workflows/rules/edit/dissolve.ts'
import { type GraphAddress, graphAt } from '../../src-main/features/workflows/rules/edit/graph-at.ts'
import { addGroup } from '../../src-main/features/workflows/rules/edit/groups.ts'
import { makeSubgraph } from '../../src-main/features/workflows/rules/edit/make-subgraph.ts'
import { moveNodes, setMode, setTitle } from '../../src-main/features/workflows/rules/edit/node-fields.ts'
import { promoteWidget } from '../../src-main/features/workflows/rules/edit/promote.ts'
import { removeLinks, removeNodes } from '../../src-main/features/workflows/rules/edit/remove.ts'
import { addReroute } from '../../src-main/features/workflows/rules/edit/reroutes.ts'
import { inputToWidget, setWidget, widgetToInput } from '../../src-main/features/workflows/rules/edit/widgets.ts'
import type { NodeType, NodeTypes } from '../../src-main/features/workflows/rules/node-types.ts'
import { nodeView } from '../../src-main/features/workflows/rules/node-view.ts'
import { bundledTypesOf, objectOf } from './workflow-files.ts'

/** `graph` chooses a graph, `numbers` choose among its contents. */
export type RandomEdit = { readonly name: EditName; readonly graph: number; readonly numbers: readonly number[] }

/** Sequences of edits. */
export const randomEdits = (names: readonly EditName[] = EDIT_NAMES): fc.Arbitrary<readonly RandomEdit[]> =>
  fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      graph: fc.nat(3),
      numbers: fc.array(fc.nat(30), { minLength: 4, maxLength: 4 }),
    }),
    { maxLength: 40, size: 'max' },
  )

/** Makes an edit. @param uuid gives ids for definitions */
export function makeEdit(
  document: WorkflowDocument,
  { name, graph: choice, numbers }: RandomEdit,
  types: NodeTypes,
  uuid: () => string,
): WorkflowDocument {
  const graphs: readonly GraphAddress[] = [undefined, undefined, ...subgraphsOf(document).keys()]
  const at = graphs[choice % graphs.length]
  const graph = graphAt(document, at)
  if (graph === undefined) return document
  const [a = 0, b = 0, c = 0, d = 0] = numbers
  return EDITS[name]({ document, at, graph, types, uuid, a, b, c, d })
}

type Choice = {
  readonly document: WorkflowDocument
  readonly at: GraphAddress
  readonly graph: Graph
  readonly types: NodeTypes
  readonly uuid: () => string
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)]
const typeAt = (types: NodeTypes, at: number): NodeType | undefined => pick([...types.values()], at)
const nodeAt = ({ nodes }: Graph, at: number): string => pick(nodes.items, at)?.id ?? 'none'
const linkAt = ({ links }: Graph, at: number): string => pick(links.items, at)?.id ?? 'none'

// Two of the nodes, and one more: enough to have links within, in and out.
const some = (graph: Graph, a: number, b: number, c: number): ReadonlySet<string> =>
  new Set([nodeAt(graph, a), nodeAt(graph, a + b), nodeAt(graph, c)].filter((id) => id !== 'none'))

function widgetAt({ graph, types, a, b }: Choice): { readonly node: string; readonly name: string } | undefined {
  const node = pick(graph.nodes.items, a)
  const views = node && nodeView(node, { type: types.get(node.type ?? ''), subgraph: undefined }).widgets
  const view = pick(views?.filter(({ kind }) => kind === 'input') ?? [], b)
  return node?.id === undefined || view === undefined ? undefined : { node: node.id, name: view.name }
}

const EDITS = {
  addNode({ document, at, types, a, b, c }) {
    const type = typeAt(types, a)
    return type === undefined ? document : addNode(document, at, { type, pos: [b * 50, c * 50] }).document
  },
  addNote: ({ document, at, a, b }) => addNote(document, at, { kind: 'note', text: `note ${a}`, pos: [a, b] }).document,
  addPrimitive(choice) {
    const { document, at, types, c } = choice
    const widget = widgetAt(choice)
    if (widget === undefined) return document
    return (
      addPrimitive(document, at, { node: widget.node, input: widget.name, pos: [c, c], types })?.document ?? document
    )
  },
  addInstance({ document, at, a }) {
    const definition = pick([...subgraphsOf(document).keys()], a)
    if (definition === undefined) return document
    return addSubgraphInstance(document, at, { definition, pos: [0, 0] })?.document ?? document
  },
  connect({ document, at, graph, types, a, b, c, d }) {
    const [from, target] = [{ node: nodeAt(graph, a), slot: b % 3 }, pick(graph.nodes.items, c)]
    const known = target && types.get(target.type ?? '')
    const names = target === undefined ? [] : nodeView(target, { type: known, subgraph: undefined }).inputs
    const to = { node: target?.id ?? '', name: pick(names, d)?.name ?? '' }
    return canConnect(document, at, { from, to, types }).can ? connect(document, at, { from, to, types }) : document
  },
  connectAny({ document, at, graph, types, a }) {
    // By turns from the first and the last, so that graphs get deep.
    const origins = a % 2 === 0 ? graph.nodes.items : graph.nodes.items.toReversed()
    for (const { id: node = '', type = '' } of graph.nodes.items) {
      for (const { name } of types.get(type)?.inputs ?? []) {
        const slot = graph.nodes.items.find(({ id }) => id === node)?.inputs.items.find((one) => one.name === name)
        if (slot === undefined || slot.link !== undefined) continue
        for (const origin of origins) {
          for (const place of origin.outputs.items.keys()) {
            const ends = { from: { node: origin.id ?? '', slot: place }, to: { node, name }, types }
            if (canConnect(document, at, ends).can) return connect(document, at, ends)
          }
        }
      }
    }
    return document
  },
  disconnect: ({ document, at, graph, a, b, c }) =>
    disconnect(document, at, { node: nodeAt(graph, a), side: b % 2 === 0 ? 'input' : 'output', slot: c % 3 }),
  insert: ({ document, at, graph, types, a, b }) =>
    insertIntoLink(document, at, { linkId: linkAt(graph, a), nodeId: nodeAt(graph, b), types }),
  moveLinks: ({ document, at, graph, types, a, b, c, d }) =>
    moveLinks(document, at, {
      from: { node: nodeAt(graph, a), slot: c % 3 },
      to: { node: nodeAt(graph, b), slot: d % 3 },
      types,
    }),
  removeNodes: ({ document, at, graph, a }) => removeNodes(document, at, new Set([nodeAt(graph, a)])),
  removeLinks: ({ document, at, graph, a }) => removeLinks(document, at, new Set([linkAt(graph, a)])),
  duplicate: ({ document, at, graph, a, b, c, d, uuid }) =>
    duplicate(document, at, some(graph, a, b, c), { keepInbound: d % 2 === 0, newUuid: uuid }).document,
  reroute: ({ document, at, graph, a, b, c }) =>
    addReroute(document, at, { linkId: linkAt(graph, a), pos: [b, c], before: c % 3 }).document,
  makeSubgraph: ({ document, at, graph, a, b, c, uuid }) =>
    makeSubgraph(document, at, { ids: some(graph, a, b, c), name: `part ${a}`, newUuid: uuid })?.document ?? document,
  dissolve({ document, at, graph, types, a }) {
    const hosts = graph.nodes.items.filter(({ type = '' }) => subgraphsOf(document).has(type))
    return dissolve(document, at, pick(hosts, a)?.id ?? '', types)?.document ?? document
  },
  promote(choice) {
    const { document, at, types, uuid } = choice
    const widget = widgetAt(choice)
    if (at === undefined || widget === undefined) return document
    return promoteWidget(document, { definition: at, node: widget.node, widget: widget.name, types }, uuid)
  },
  setWidget(choice) {
    const { document, at, types, c } = choice
    const widget = widgetAt(choice)
    return widget === undefined ? document : setWidget(document, at, { ...widget, value: { number: `${c}` }, types })
  },
  widgetToInput(choice) {
    const { document, at, types } = choice
    const widget = widgetAt(choice)
    return widget === undefined ? document : widgetToInput(document, at, { ...widget, types })
  },
  inputToWidget(choice) {
    const widget = widgetAt(choice)
    return widget === undefined ? choice.document : inputToWidget(choice.document, choice.at, widget)
  },
  move: ({ document, at, graph, a, b, c }) => moveNodes(document, at, new Map([[nodeAt(graph, a), [b * 10, c * 10]]])),
  title: ({ document, at, graph, a, b }) =>
    setTitle(document, at, nodeAt(graph, a), b === 0 ? undefined : `title ${b}`),
  mode: ({ document, at, graph, a, b }) =>
    setMode(document, at, new Set([nodeAt(graph, a)]), (['always', 'mute', 'bypass'] as const)[b % 3] ?? 'always'),
  group: ({ document, at, graph, a, b, c }) => addGroup(document, at, { title: 'box', ids: some(graph, a, b, c) }),
  layOut: ({ document, at }) => layOutNodes(document, at, new Set()),
} satisfies Record<string, (choice: Choice) => WorkflowDocument>

/** Names of all edits. */
export type EditName = keyof typeof EDITS
const EDIT_NAMES = Object.keys(EDITS) as readonly EditName[]

/** Classes of which edited graphs are made. */
export const EDIT_TYPES: NodeTypes = bundledTypesOf(
  ...['CheckpointLoaderSimple', 'CLIPTextEncode', 'EmptyLatentImage', 'KSampler', 'VAEDecode', 'VAEEncode'],
  ...['SaveImage', 'LoadImage', 'LoraLoader', 'ImageScale', 'ConditioningCombine', 'LatentUpscale'],
)

/** Documents without a node, as editors of the field begin them. */
export const EMPTY_DOCUMENTS = {
  plain: '{"last_node_id":0,"last_link_id":0,"nodes":[],"links":[],"groups":[],"config":{},"extra":{},"version":0.4}',
  version1:
    '{"version":1,"config":{},"state":{"lastGroupId":0,"lastNodeId":0,"lastLinkId":0,"lastRerouteId":0},"groups":[],"nodes":[],"links":[],"reroutes":[],"extra":{}}',
} as const

// One node of each class, linked as far as they go.
const BEGINNING: readonly RandomEdit[] = [
  ...Array.from(EDIT_TYPES.keys(), (_, at) => ({ name: 'addNode', graph: 0, numbers: [at, at, 0, 0] }) as const),
  ...Array.from({ length: 24 }, (_, at) => ({ name: 'connectAny', graph: 0, numbers: [at, 0, 0, 0] }) as const),
]

/** A document with a node of each class, linked. */
export const beginning = (): WorkflowDocument =>
  session(EMPTY_DOCUMENTS.plain, []).at(-1) ?? readDocument(objectOf(EMPTY_DOCUMENTS.plain))

/** The documents of a session of edits, from the empty one to the last. */
export function session(start: string, more: readonly RandomEdit[]): readonly WorkflowDocument[] {
  const given: string[] = []
  const uuid = () => `uuid-${given.push('')}`
  let document = readDocument(objectOf(start))
  const documents = [document]
  for (const edit of [...BEGINNING, ...more]) {
    document = makeEdit(document, edit, EDIT_TYPES, uuid)
    documents.push(document)
  }
  return documents
}
