/** Documents of any size: graphs that make pictures from text, side by side, as people have them. */

type Slot = { readonly name: string; readonly type: string }
type Part = {
  readonly type: string
  readonly at: readonly [number, number]
  readonly size: readonly [number, number]
  readonly inputs: readonly Slot[]
  readonly outputs: readonly Slot[]
  readonly values: readonly unknown[]
}

const slot = (name: string, type: string): Slot => ({ name, type })
const MODEL = slot('MODEL', 'MODEL')
const CLIP = slot('CLIP', 'CLIP')
const VAE = slot('VAE', 'VAE')

const PARTS: readonly Part[] = [
  part('CheckpointLoaderSimple', [0, 200], [315, 98], [], [MODEL, CLIP, VAE], ['sketch.safetensors']),
  part(
    'LoraLoader',
    [360, 200],
    [315, 126],
    [slot('model', 'MODEL'), slot('clip', 'CLIP')],
    [MODEL, CLIP],
    [...['fine.safetensors', 0.8, 0.8]],
  ),
  part(
    'CLIPTextEncode',
    [720, 0],
    [400, 200],
    [slot('clip', 'CLIP')],
    [slot('CONDITIONING', 'CONDITIONING')],
    ['a lighthouse on a cliff at dusk, warm light, long exposure'],
  ),
  part(
    'CLIPTextEncode',
    [720, 250],
    [400, 200],
    [slot('clip', 'CLIP')],
    [slot('CONDITIONING', 'CONDITIONING')],
    ['people, text'],
  ),
  part('EmptyLatentImage', [720, 500], [315, 106], [], [slot('LATENT', 'LATENT')], [512, 512, 1]),
  part(
    'KSampler',
    [1170, 150],
    [315, 262],
    [
      slot('model', 'MODEL'),
      slot('positive', 'CONDITIONING'),
      slot('negative', 'CONDITIONING'),
      slot('latent_image', 'LATENT'),
    ],
    [slot('LATENT', 'LATENT')],
    [42, 'randomize', 20, 7.5, 'euler', 'normal', 1],
  ),
  part(
    'VAEDecode',
    [1530, 150],
    [210, 46],
    [slot('samples', 'LATENT'), slot('vae', 'VAE')],
    [slot('IMAGE', 'IMAGE')],
    [],
  ),
  part(
    'ImageScale',
    [1530, 260],
    [315, 130],
    [slot('image', 'IMAGE')],
    [slot('IMAGE', 'IMAGE')],
    [...['lanczos', 1024, 1024, 'disabled']],
  ),
  part('SaveImage', [1890, 150], [315, 270], [slot('images', 'IMAGE')], [], ['ComfyUI']),
  part('PreviewImage', [1890, 480], [210, 246], [slot('images', 'IMAGE')], [], []),
]

/** Links among the parts: from, its output, to, its input. */
const LINKS = [
  ...[
    [0, 0, 1, 0],
    [0, 1, 1, 1],
    [1, 1, 2, 0],
    [1, 1, 3, 0],
    [1, 0, 5, 0],
    [2, 0, 5, 1],
    [3, 0, 5, 2],
    [4, 0, 5, 3],
  ],
  ...[
    [5, 0, 6, 0],
    [0, 2, 6, 1],
    [6, 0, 7, 0],
    [7, 0, 8, 0],
    [6, 0, 9, 0],
  ],
] as const

const WIDTH = 2350
const HEIGHT = 900

function part(
  type: string,
  at: readonly [number, number],
  size: readonly [number, number],
  inputs: readonly Slot[],
  outputs: readonly Slot[],
  values: readonly unknown[],
): Part {
  return { type, at, size, inputs, outputs, values }
}

/** The JSON of a document. @param count how many nodes */
export function makeDocument(count: number): string {
  const perRow = Math.max(1, Math.round(Math.sqrt(count / PARTS.length / 2)))
  const links: (readonly (number | string)[])[] = []
  const nodes = Array.from({ length: count }, (_, index) => {
    const { type, at, size, inputs, outputs, values } = PARTS[index % PARTS.length] as Part
    const set = Math.floor(index / PARTS.length)
    const pos = [at[0] + (set % perRow) * WIDTH, at[1] + Math.floor(set / perRow) * HEIGHT]
    return {
      id: index + 1,
      type,
      pos,
      size,
      flags: {},
      order: index,
      mode: 0,
      inputs: inputs.map((input) => ({ ...input, link: null as number | null })),
      outputs: outputs.map((output) => ({ ...output, links: [] as number[] })),
      properties: { 'Node name for S&R': type },
      widgets_values: values,
    }
  })
  for (let first = 0; first < count; first += PARTS.length)
    for (const [from, output, to, input] of LINKS) {
      const [source, target] = [nodes[first + from], nodes[first + to]]
      const [out, into] = [source?.outputs[output], target?.inputs[input]]
      if (source === undefined || target === undefined || out === undefined || into === undefined) continue
      const id = links.length + 1
      out.links.push(id)
      into.link = id
      links.push([id, source.id, output, target.id, input, out.type])
    }
  const counters = { last_node_id: count, last_link_id: links.length }
  return JSON.stringify({ ...counters, nodes, links, groups: [], config: {}, extra: {}, version: 0.4 })
}
