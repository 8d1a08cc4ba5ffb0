/**
 * Random documents with every construct that affects their payload: links in slots and in the list alone, reroutes,
 * primitives, converted widgets, controls, modes, and hosts that hold, list or omit values.
 */
import fc from 'fast-check'

type Input = { readonly name: string; readonly type: string; readonly link: number | null; readonly widget?: object }
type Node = {
  readonly id: number
  readonly type: string
  readonly mode: number
  readonly inputs: readonly Input[]
  readonly outputs: readonly { readonly name: string; readonly type: string; readonly links: number[] }[]
  readonly widgets_values?: readonly unknown[]
  readonly properties: object
}

type Kind = {
  readonly type: string
  readonly sockets?: readonly (readonly [name: string, type: string])[]
  readonly widgets?: readonly string[]
  readonly output?: string
  readonly values?: readonly unknown[]
}

const INSIDE = 'aaaaaaaa-0000-4000-8000-000000000001'

const KINDS: readonly Kind[] = [
  { type: 'EmptyImage', widgets: ['width', 'height', 'batch_size', 'color'], output: 'IMAGE', values: [64, 32, 1, 0] },
  { type: 'PrimitiveInt', widgets: ['value'], output: 'INT', values: [5, 'fixed'] },
  { type: 'PrimitiveNode', output: 'INT', values: [7, 'fixed'] },
  { type: 'ImageInvert', sockets: [['image', 'IMAGE']], output: 'IMAGE' },
  { type: 'ImageBatch', sockets: ['image1', 'image2'].map((name) => [name, 'IMAGE']), output: 'IMAGE' },
  { type: 'Reroute', sockets: [['', '*']], output: '*' },
  { type: 'SaveImage', sockets: [['images', 'IMAGE']], values: ['a'] },
  { type: 'PreviewAny', sockets: [['source', '*']] },
  { type: INSIDE, sockets: [['image', 'IMAGE']], widgets: ['a', 'b'], output: 'IMAGE' },
]

const chosen = fc.record({
  kind: fc.nat(KINDS.length - 1),
  mode: fc.constantFrom(0, 0, 0, 0, 2, 4),
  sources: fc.array(fc.nat(20), { minLength: 6, maxLength: 6 }),
  // For each input: linked in its slot, only in the list, or not at all.
  linked: fc.array(fc.constantFrom('slot', 'slot', 'list', 'no'), { minLength: 6, maxLength: 6 }),
  numbers: fc.option(fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 5 }), { nil: undefined }),
  listed: fc.array(fc.constantFrom(['1', 'width'], ['1', 'color'], ['1', 'height'], ['-1', 'a'], ['-1', 'b']), {
    maxLength: 3,
  }),
})

/** JSON of documents. */
export const randomDocuments = fc.array(chosen, { minLength: 2, maxLength: 9 }).map((parts) => {
  const nodes: Node[] = []
  const links: (readonly unknown[])[] = []
  for (const [at, { kind, mode, sources, linked, numbers, listed }] of parts.entries()) {
    const { type, sockets = [], widgets = [], output, values } = KINDS[kind] ?? { type: '' }
    const id = at + 1
    const slots = [...sockets, ...widgets.map((name) => [name, 'INT'] as const)]
    const inputs = slots.map(([name, of], slot): Input => {
      const earlier = nodes.filter((node) => node.outputs.some((out) => fits(out.type, of)) && !isLost(node, type, of))
      const source = earlier[(sources[slot] ?? 0) % Math.max(1, earlier.length)]
      const widget = slot < sockets.length ? {} : { widget: { name } }
      // A primitive without a link in its slot does not know its type.
      const isPrimitive = source?.type === 'PrimitiveNode'
      const isTaken = isPrimitive && source.outputs.some(({ links: given }) => given.length > 0)
      const how = isPrimitive && linked[slot] === 'list' ? 'slot' : linked[slot]
      if (source === undefined || how === 'no' || isTaken) return { name, type: of, link: null, ...widget }
      const link = links.length + 1
      links.push([link, source.id, 0, id, slot, of])
      if (how === 'slot') source.outputs[0]?.links.push(link)
      return { name, type: of, link: how === 'slot' ? link : null, ...widget }
    })
    const isHost = type === INSIDE
    const held = isHost ? numbers : numbers !== undefined && type === 'EmptyImage' ? numbers.slice(0, 4) : values
    nodes.push({
      ...{ id, type, mode, inputs },
      outputs: output === undefined ? [] : [{ name: output, type: output, links: [] }],
      ...(held === undefined ? {} : { widgets_values: held }),
      properties: isHost && listed.length > 0 ? { proxyWidgets: listed } : {},
    })
  }
  return JSON.stringify({
    ...{ last_node_id: 50, last_link_id: 50, links, groups: [], config: {}, extra: {}, version: 0.4 },
    nodes: nodes.map((node, order) => ({ ...node, pos: [order * 300, 0], size: [200, 100], flags: {}, order })),
    definitions: { subgraphs: [inside] },
  })
})

// The page drops the value of a primitive on its way through a reroute, and into a host; we send what the links say.
const isLost = (source: Node, target: string, type: string) =>
  (target === 'Reroute' && source.type === 'PrimitiveNode') ||
  (target === INSIDE && type === 'INT' && (source.mode === 4 || ['PrimitiveNode', 'Reroute'].includes(source.type)))

const fits = (from: string, to: string) => from === to || from === '*' || to === '*'

const link = (id: number, from: number, slot: number, to: number, place: number, type: string) => ({
  id,
  origin_id: from,
  origin_slot: slot,
  target_id: to,
  target_slot: place,
  type,
})

const ID = (place: number) => `0000000${place}-0000-4000-8000-000000000000`

// A picture of the size a and b, and the one that comes in.
const inside = {
  ...{ id: INSIDE, version: 1, revision: 0, name: 'Inside', config: {}, groups: [], extra: {}, widgets: [] },
  state: { lastGroupId: 0, lastNodeId: 9, lastLinkId: 9, lastRerouteId: 0 },
  inputNode: { id: -10, bounding: [0, 0, 100, 100] },
  outputNode: { id: -20, bounding: [900, 0, 100, 100] },
  inputs: [
    { id: ID(1), name: 'image', type: 'IMAGE', linkIds: [1] },
    { id: ID(2), name: 'a', type: 'INT', linkIds: [2] },
    { id: ID(3), name: 'b', type: 'INT', linkIds: [3] },
  ],
  outputs: [{ id: ID(4), name: 'IMAGE', type: 'IMAGE', linkIds: [5] }],
  nodes: [
    {
      ...{ id: 1, type: 'EmptyImage', pos: [0, 0], size: [200, 100], flags: {}, order: 0, mode: 0, properties: {} },
      inputs: [
        { name: 'width', type: 'INT', link: 2, widget: { name: 'width' } },
        { name: 'height', type: 'INT', link: 3, widget: { name: 'height' } },
      ],
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [4] }],
      widgets_values: [10, 20, 1, 0],
    },
    {
      ...{ id: 2, type: 'ImageBatch', pos: [300, 0], size: [200, 100], flags: {}, order: 1, mode: 0, properties: {} },
      inputs: [
        { name: 'image1', type: 'IMAGE', link: 1 },
        { name: 'image2', type: 'IMAGE', link: 4 },
      ],
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [5] }],
    },
  ],
  links: [
    link(1, -10, 0, 2, 0, 'IMAGE'),
    link(2, -10, 1, 1, 0, 'INT'),
    link(3, -10, 2, 1, 1, 'INT'),
    link(4, 1, 0, 2, 1, 'IMAGE'),
    link(5, 2, 0, -20, 0, 'IMAGE'),
  ],
}
