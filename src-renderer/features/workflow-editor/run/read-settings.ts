import { linksInto, type PayloadNode, readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { SEED_NAMES } from '../../../../src-main/features/workflows/rules/widgets.ts'
import {
  isArray,
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  writeJson,
} from '../../../../src-main/lib/json/value.ts'

export type Setting = ReturnType<typeof nodeSettings>[number]

const MAIN: Readonly<Record<string, string>> = {
  text: 'Text',
  prompt: 'Text',
  ...{ clip_l: 'Text (CLIP L)', t5xxl: 'Text (T5)', text_g: 'Text (G)', text_l: 'Text (L)' },
  ...{ seed: 'Seed', noise_seed: 'Seed', steps: 'Steps', cfg: 'CFG', guidance: 'Guidance' },
  ...{ sampler_name: 'Sampler', scheduler: 'Scheduler', denoise: 'Denoise' },
  ...{ width: 'Width', height: 'Height', batch_size: 'Batch' },
  ...{ ckpt_name: 'Checkpoint', unet_name: 'Model', vae_name: 'VAE', clip_name: 'Text encoder' },
  ...{ lora_name: 'LoRA', strength_model: 'LoRA strength', control_net_name: 'ControlNet', image: 'Image' },
}
const ORDER = Object.keys(MAIN)
const TEXTS: ReadonlySet<string> = new Set(['text', 'prompt', 'clip_l', 't5xxl', 'text_g', 'text_l'])

export function mainSettings(payload: JsonObject): readonly Setting[] {
  const nodes = readPayloadNodes(payload)
  const negative = upstreamOf(nodes, 'negative')
  const positive = upstreamOf(nodes, 'positive')
  const found = nodes.flatMap((node) => nodeSettings(node).filter(({ input }) => Object.hasOwn(MAIN, input)))
  const named = found.map((setting) => {
    const { node, input } = setting
    if (!TEXTS.has(input)) return setting
    if (positive.has(node)) return { ...setting, name: 'Prompt' }
    return negative.has(node) ? { ...setting, name: 'Negative prompt' } : setting
  })
  const rank = ({ name, input }: Setting) => (name === 'Negative prompt' ? 0.5 : ORDER.indexOf(input))
  return named.toSorted((one, other) => rank(one) - rank(other))
}

export const allSettings = (payload: JsonObject): readonly Setting[] => readPayloadNodes(payload).flatMap(nodeSettings)

export const seedOf = (payload: JsonObject): string | undefined =>
  readPayloadNodes(payload)
    .flatMap(nodeSettings)
    .find(({ input }) => SEED_NAMES.has(input))?.value

function nodeSettings({ id, classType, title, inputs }: PayloadNode) {
  return [...inputs].flatMap(([input, raw]) => {
    const value = valueText(raw)
    if (value === undefined) return []
    return [{ node: id, title: title ?? classType, input, name: MAIN[input] ?? input, value }]
  })
}

function valueText(raw: JsonValue): string | undefined {
  if (typeof raw === 'string') return raw
  if (isNumber(raw)) return raw.number
  if (isArray(raw)) return undefined
  return isObject(raw) ? writeJson(raw.get('__value__') ?? raw) : String(raw)
}

function upstreamOf(nodes: readonly PayloadNode[], input: string): ReadonlySet<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Set<string>()
  const waiting = nodes.flatMap((node) => linksInto(node).flatMap((link) => (link.input === input ? [link.node] : [])))
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = byId.get(id)
    if (node === undefined || found.has(id)) continue
    found.add(id)
    // A node like ControlNet has two sides itself: it takes both in and passes both on.
    waiting.push(...linksInto(node).flatMap((link) => (isOtherSide(link.input, input) ? [] : [link.node])))
  }
  return found
}

const isOtherSide = (name: string, side: string) => (name === 'positive' || name === 'negative') && name !== side

export function diffSettings(a: readonly Setting[], b: readonly Setting[]) {
  const keyOf = ({ node, input }: Setting) => `${node} ${input}`
  const [ofA, ofB] = [new Map(a.map((one) => [keyOf(one), one])), new Map(b.map((one) => [keyOf(one), one]))]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) => {
    const [one, other] = [ofA.get(key), ofB.get(key)]
    if (one?.value === other?.value) return []
    const { title = '', name = '', node = '' } = one ?? other ?? {}
    return [{ key, title: `${title} (${node})`, name, a: one?.value, b: other?.value }]
  })
}
