/**
 * Small documents, each with one thing that decides what the public editor's page sends. record.ts records the page's
 * payloads, so that `npm test` needs no page.
 */

type Input = { readonly name: string; readonly type: string; readonly link?: number; readonly widget?: string }
type Node = {
  readonly id: number
  readonly type: string
  readonly mode?: number
  readonly inputs?: readonly Input[]
  readonly outputs?: readonly {
    readonly name: string
    readonly type: string
    readonly links: readonly number[]
    readonly widget?: object
  }[]
  readonly values?: readonly unknown[] | Readonly<Record<string, unknown>>
  readonly properties?: Readonly<Record<string, unknown>>
}
type Link = readonly [id: number, from: number, slot: number, to: number, place: number, type: string]
type Boundary = { readonly name: string; readonly type: string; readonly links: readonly number[] }
type Subgraph = {
  readonly id: string
  readonly nodes: readonly Node[]
  readonly links: readonly Link[]
  readonly inputs?: readonly Boundary[]
  readonly outputs?: readonly Boundary[]
}

const written = ({ id, type, mode = 0, inputs = [], outputs = [], values, properties = {} }: Node, order: number) => ({
  ...{ id, type, pos: [order * 400, 0], size: [300, 200], flags: {}, order, mode },
  inputs: inputs.map(({ name, type: of, link = null, widget }) => {
    return { name, type: of, link, ...(widget === undefined ? {} : { widget: { name: widget } }) }
  }),
  ...{ outputs, properties, ...(values === undefined ? {} : { widgets_values: values }) },
})

const ID = (place: number) => `0000000${place}-0000-4000-8000-000000000000`

const boundary = (slots: readonly Boundary[] = []) =>
  slots.map(({ name, type, links }, at) => ({ id: ID(at), name, type, linkIds: links }))

function subgraph({ id, nodes, links, inputs, outputs }: Subgraph) {
  return {
    ...{ id, version: 1, revision: 0, name: 'Inside', config: {}, groups: [], extra: {}, widgets: [] },
    state: { lastGroupId: 0, lastNodeId: 99, lastLinkId: 99, lastRerouteId: 0 },
    inputNode: { id: -10, bounding: [0, 0, 100, 100] },
    outputNode: { id: -20, bounding: [900, 0, 100, 100] },
    ...{ inputs: boundary(inputs), outputs: boundary(outputs), nodes: nodes.map(written) },
    links: links.map(([link, from, slot, to, place, type]) => {
      return { id: link, origin_id: from, origin_slot: slot, target_id: to, target_slot: place, type }
    }),
  }
}

const document = (nodes: readonly Node[], links: readonly Link[] = [], subgraphs: readonly Subgraph[] = []) => ({
  ...{ last_node_id: 50, last_link_id: 50, nodes: nodes.map(written), links, groups: [], config: {}, extra: {} },
  ...{ definitions: { subgraphs: subgraphs.map(subgraph) }, version: 0.4 },
})

const INSIDE = 'aaaaaaaa-0000-4000-8000-000000000001'
const DEEPER = 'aaaaaaaa-0000-4000-8000-000000000002'

// A sampler and a text within, of which the host's own list of inputs holds one alone.
const sampler: Subgraph = {
  id: INSIDE,
  nodes: [
    {
      id: 1,
      type: 'EmptyLatentImage',
      inputs: [{ name: 'width', type: 'INT', link: 1, widget: 'width' }],
      values: [640, 480, 2],
    },
    { id: 2, type: 'PreviewAny', inputs: [{ name: 'source', type: '*', link: 2 }] },
    {
      id: 3,
      type: 'PrimitiveStringMultiline',
      inputs: [{ name: 'value', type: 'STRING', link: 3, widget: 'value' }],
      values: ['in'],
    },
  ],
  links: [
    [1, -10, 0, 1, 0, 'INT'],
    [2, -10, 0, 2, 0, 'INT'],
    [3, -10, 1, 3, 0, 'STRING'],
  ],
  inputs: [
    { name: 'width', type: 'INT', links: [1, 2] },
    { name: 'value', type: 'STRING', links: [3] },
  ],
}

const PROMPT = String.raw`{a|{b|c} d} \{k\} e // f
g /* h */ i \| { open`
// A document made from a payload can hold this, but no comments and no braces behind a backslash.
const CHOICES = '{a|{b|c} d} e'
const TEXT: Input = { name: 'text', type: 'STRING', widget: 'text' }

// A prompt that the host shows, and one of its own.
const prompts: Subgraph = {
  id: INSIDE,
  nodes: [
    { id: 1, type: 'CLIPTextEncode', inputs: [{ ...TEXT, link: 1 }], values: [`in ${CHOICES}`] },
    { id: 2, type: 'CLIPTextEncode', inputs: [TEXT], values: [`free ${CHOICES}`] },
  ],
  links: [[1, -10, 0, 1, 0, 'STRING']],
  inputs: [{ name: 'text', type: 'STRING', links: [1] }],
}

const widgetInput = (name: string, link: number): Input => ({ name, type: 'INT', link, widget: name })

// Three of the four widgets within are inputs of the subgraph.
const picture: Subgraph = {
  id: INSIDE,
  nodes: [
    {
      id: 1,
      type: 'EmptyImage',
      inputs: [widgetInput('width', 1), widgetInput('height', 2), widgetInput('batch_size', 3)],
      values: [10, 20, 1, 0],
    },
  ],
  links: [
    [1, -10, 0, 1, 0, 'INT'],
    [2, -10, 1, 1, 1, 'INT'],
    [3, -10, 2, 1, 2, 'INT'],
  ],
  inputs: [
    { name: 'a', type: 'INT', links: [1] },
    { name: 'b', type: 'INT', links: [2] },
    { name: 'c', type: 'INT', links: [3] },
  ],
}

const listing = (...proxyWidgets: readonly (readonly [string, string])[]) => ({ proxyWidgets })

/** Documents by name. */
export const SAMPLES: Readonly<Record<string, object>> = {
  'widgets newer than the file': document([
    { id: 1, type: 'ImageScaleToTotalPixels', values: ['lanczos', 1] },
    { id: 2, type: 'CreateVideo', values: [24] },
    { id: 3, type: 'SaveVideo', values: ['video/a', 'mp4', 'h264'] },
    { id: 4, type: 'ResolutionSelector', values: ['1:1 (Square)', 1] },
    { id: 5, type: 'KSampler', values: [7, 'fixed'] },
    { id: 6, type: 'EmptyLatentImage' },
  ]),
  'widgets that only the page draws': document([
    { id: 1, type: 'ImageCompare', values: [] },
    { id: 2, type: 'Preview3D', values: ['a.glb', ''] },
    { id: 3, type: 'SaveGLB', values: ['mesh/a', ''] },
    { id: 4, type: 'CreateBoundingBoxes', values: [512, 256, [{ x: 1, y: 2, width: 3, height: 4 }], []] },
    { id: 5, type: 'ImageCropV2', values: [{ x: 1, y: 2, width: 30, height: 40 }, 1, 2, 30, 40] },
    { id: 6, type: 'LoadImage', values: ['a.png', 'image'] },
    { id: 8, type: 'LoadAudio', values: ['a.mp3', null, ''] },
  ]),
  'a list that its author writes': document([
    { id: 1, type: 'CustomCombo', values: ['two', 1, 'one', 'two', ''] },
    { id: 2, type: 'CustomCombo', values: ['', 0, ''] },
  ]),
  'prompts with choices': document(
    [
      { id: 3, type: 'CLIPTextEncode', inputs: [TEXT], values: [PROMPT] },
      { id: 4, type: 'PrimitiveStringMultiline', values: [PROMPT] },
      {
        id: 5,
        type: 'PrimitiveNode',
        outputs: [{ name: 'STRING', type: 'STRING', links: [7], widget: { name: 'text' } }],
        values: [`given ${PROMPT}`],
      },
      { id: 6, type: 'CLIPTextEncode', inputs: [{ ...TEXT, link: 7 }], values: ['old'] },
    ],
    [[7, 5, 0, 6, 0, 'STRING']],
  ),
  'prompts on a host and within': document(
    [
      { id: 4, type: INSIDE, inputs: [TEXT], values: [`host ${CHOICES}`] },
      { id: 5, type: INSIDE, inputs: [TEXT], values: [] },
      { id: 6, type: INSIDE, values: [], properties: { proxyWidgets: [['1', 'text']] } },
    ],
    [],
    [prompts],
  ),
  'types of several names': document([{ id: 1, type: 'LTXVEmptyLatentAudio', values: [97, 24, 2] }]),
  'values of a host, in the order of its definition': document(
    [{ id: 9, type: INSIDE, inputs: [{ name: 'value', type: 'STRING', widget: 'value' }], values: [768, 'out'] }],
    [],
    [sampler],
  ),
  'a host without values': document([{ id: 9, type: INSIDE, values: [] }], [], [sampler]),
  'a host within a host': document(
    [{ id: 9, type: DEEPER, values: [896] }],
    [],
    [
      {
        id: DEEPER,
        nodes: [
          {
            id: 5,
            type: INSIDE,
            inputs: [{ name: 'width', type: 'INT', link: 1, widget: 'width' }],
            values: [768, 'out'],
          },
        ],
        links: [[1, -10, 0, 5, 0, 'INT']],
        inputs: [{ name: 'width', type: 'INT', links: [1] }],
      },
      sampler,
    ],
  ),
  'values that hosts list for widgets within': document(
    [
      { id: 7, type: INSIDE, values: [11, 22], properties: listing(['1', 'width'], ['1', 'height']) },
      { id: 8, type: INSIDE, values: [11], properties: listing(['1', 'color']) },
      { id: 9, type: INSIDE, values: [33, 44, 55], properties: listing(['-1', 'b'], ['1', 'color'], ['-1', 'a']) },
      { id: 10, type: INSIDE, values: [33], properties: listing(['-1', 'b'], ['-1', 'a']) },
      { id: 11, type: DEEPER, values: [77], properties: listing(['5', 'color']) },
    ],
    [],
    [
      picture,
      { id: DEEPER, nodes: [{ id: 5, type: INSIDE, values: [], properties: listing(['1', 'color']) }], links: [] },
    ],
  ),
  'the same ids outside and inside': document(
    [
      { id: 1, type: INSIDE, values: [512, 'out'] },
      { id: 2, type: INSIDE, values: [256, 'other'] },
    ],
    [],
    [sampler],
  ),
  'a bypassed and a muted host': document(
    [
      { id: 8, type: INSIDE, mode: 4, values: [512, 'out'] },
      { id: 9, type: INSIDE, mode: 2, values: [256, 'other'] },
      { id: 10, type: 'EmptyLatentImage', values: [64, 64, 1] },
    ],
    [],
    [sampler],
  ),
}
