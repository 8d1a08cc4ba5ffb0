import type { ModelFacts } from '../../../contract/models.ts'
import { present } from '../../../lib/json/plain.ts'
import { readTensors, type Tensor, type TensorFile } from './model-heads.ts'

type Kind = NonNullable<ModelFacts['kind']>

export function formatOf(start: Uint8Array, name: string): ModelFacts['format'] {
  const [a = 0, b = 0, c = 0, d = 0] = start
  if (a === 0x47 && b === 0x47 && c === 0x55 && d === 0x46) return 'gguf'
  if (/\.(?:safetensors|sft)$/i.test(name)) return 'safetensors'
  // A zip of pickles from newer torch, or a bare pickle.
  if ((a === 0x50 && b === 0x4b) || (a === 0x80 && b >= 2 && b <= 5)) return 'pickle'
  return /\.onnx$/i.test(name) ? 'onnx' : 'unknown'
}

export function factsOfHead(json: string | undefined, dataBytes: number): ModelFacts {
  const tensors = readTensors(json, dataBytes)
  return 'fault' in tensors ? { format: 'safetensors', ...tensors } : recogniseModel(tensors)
}

function recogniseModel({ tensors, metadata }: TensorFile): ModelFacts {
  const byName = new Map(tensors.map((tensor) => [tensor.name.replace(/^model\.diffusion_model\./, ''), tensor]))
  const file: Names = { names: tensors.map(({ name }) => name), byName, metadata }
  const kind = KINDS.find(([, test]) => test(file))?.[0]
  const architecture = architectureOf(kind, file)
  const title = metadata['modelspec.title'] ?? metadata.ss_output_name
  const parameters = tensors.reduce((sum, { shape }) => sum + shape.reduce((product, one) => product * one, 1), 0)
  const precision = precisionOf(tensors)
  return {
    format: 'safetensors',
    ...present({ kind, architecture }),
    ...(title === undefined || title === '' ? {} : { title: title.slice(0, 200) }),
    ...(precision === undefined ? {} : { precision }),
    parameters,
  }
}

type Names = {
  readonly names: readonly string[]
  readonly byName: ReadonlyMap<string, Tensor>
  readonly metadata: TensorFile['metadata']
}

const some = ({ names }: Names, pattern: RegExp) => names.some((name) => pattern.test(name))

// First match wins. Adapters precede their targets, whose parts they name.
const KINDS: readonly (readonly [Kind, (file: Names) => boolean])[] = [
  [
    'lora',
    (file) => some(file, /\.lora_(?:up|down|[AB]|a|b)\b|\.(?:hada_w1_a|lokr_w[12]|oft_blocks|dora_scale)|^lora_/),
  ],
  [
    'controlnet',
    (file) =>
      some(file, /^control_model\.|^controlnet_(?:cond_embedding|blocks|x_embedder|down_blocks)|^input_hint_block/),
  ],
  ['adapter', (file) => some(file, /^(?:ip_adapter|image_proj|ip_adapter_layers|style_embedding|redux_(?:up|down))\b/)],
  ['checkpoint', (file) => some(file, /^model\.diffusion_model\./) && some(file, /^(?:first_stage_model|vae)\./)],
  ['diffusion model', (file) => DIFFUSION.some(([, test]) => test(file))],
  [
    'vision encoder',
    (file) => some(file, /^(?:vision_model|visual)\./) && !some(file, /^(?:model\.)?layers\.|^text_model\./),
  ],
  ['text encoder', (file) => ENCODERS.some(([, test]) => test(file))],
  ['vae', (file) => some(file, /^(?:first_stage_model\.)?(?:encoder|decoder)\.(?:conv_in|conv1|mid|up|down)/)],
  ['upscaler', (file) => some(file, /^(?:conv_first|model\.0|layers\.0\.residual_group|body\.0)\./)],
  ['embedding', (file) => file.names.length <= 4 && some(file, /^(?:emb_params|clip_[lg]|string_to_param|t5xxl)/)],
]

const widthOf = (tensor: Tensor | undefined, axis: number) => tensor?.shape[axis]
const has = (name: string) => (file: Names) => file.byName.has(name)

/** Input width of the first cross attention: the width of the text encoders. */
const contextWidth = ({ byName }: Names) =>
  widthOf(
    byName.get('input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight') ??
      byName.get('input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight') ??
      byName.get('down_blocks.1.attentions.0.transformer_blocks.0.attn2.to_k.weight'),
    1,
  )

// First match wins; those with more parts come first.
const DIFFUSION: readonly (readonly [string, (file: Names) => boolean])[] = [
  ['Chroma', has('distilled_guidance_layer.in_proj.weight')],
  ['HunyuanVideo', has('txt_in.individual_token_refiner.blocks.0.norm1.weight')],
  ['FLUX.2', has('double_stream_modulation_img.lin.weight')],
  [
    'FLUX.1 dev',
    (file) => has('double_blocks.0.img_attn.norm.key_norm.scale')(file) && has('guidance_in.in_layer.weight')(file),
  ],
  ['FLUX.1', has('double_blocks.0.img_attn.norm.key_norm.scale')],
  ['Stable Diffusion 3', has('joint_blocks.0.context_block.attn.qkv.weight')],
  ['AuraFlow', has('double_layers.0.attn.w1q.weight')],
  ['HiDream', has('caption_projection.0.linear.weight')],
  ['Qwen-Image', has('transformer_blocks.0.img_mod.1.weight')],
  [
    'Z-Image',
    (file) => has('cap_embedder.1.weight')(file) && widthOf(file.byName.get('cap_embedder.1.weight'), 0) === 3840,
  ],
  ['Lumina 2', has('cap_embedder.1.weight')],
  ['LTX-Video', has('adaln_single.emb.timestep_embedder.linear_1.bias')],
  ['Wan', has('blocks.0.cross_attn.norm_k.weight')],
  ['Cosmos', has('blocks.block0.blocks.0.block.attn.to_q.0.weight')],
  ['SDXL', (file) => contextWidth(file) === 2048],
  ['SDXL refiner', (file) => contextWidth(file) === 1280],
  ['Stable Diffusion 2', (file) => contextWidth(file) === 1024],
  ['Stable Diffusion 1.5', (file) => contextWidth(file) === 768],
  ['Stable Cascade', has('clip_txt_mapper.weight')],
]

const tokenWidth = ({ byName }: Names) =>
  widthOf(byName.get('text_model.embeddings.token_embedding.weight') ?? byName.get('token_embedding.weight'), 1)

const ENCODERS: readonly (readonly [string, (file: Names) => boolean])[] = [
  ['CLIP-L', (file) => tokenWidth(file) === 768],
  ['CLIP-H', (file) => tokenWidth(file) === 1024],
  ['CLIP-G', (file) => tokenWidth(file) === 1280],
  ['T5-XXL', (file) => widthOf(file.byName.get('encoder.block.0.layer.0.SelfAttention.q.weight'), 1) === 4096],
  ['T5', has('encoder.block.0.layer.0.SelfAttention.q.weight')],
  ['language model', (file) => some(file, /^(?:model\.)?(?:language_model\.)?layers\.0\.self_attn\.q_proj/)],
]

const BASES: readonly (readonly [RegExp, string])[] = [
  [/sdxl|stable-diffusion-xl/i, 'SDXL'],
  [/flux-?2/i, 'FLUX.2'],
  [/flux/i, 'FLUX.1'],
  [/sd3|stable-diffusion-v?3/i, 'Stable Diffusion 3'],
  [/qwen/i, 'Qwen-Image'],
  [/z-?image/i, 'Z-Image'],
  [/wan/i, 'Wan'],
  [/hunyuan/i, 'HunyuanVideo'],
  [/v2|stable-diffusion-2/i, 'Stable Diffusion 2'],
  [/v1|stable-diffusion/i, 'Stable Diffusion 1.5'],
]

const ADAPTED: readonly (readonly [string, RegExp])[] = [
  ['SDXL', /lora_te2_|lora_unet_(?:input|middle|output)_blocks?_\d+_1_transformer_blocks_[2-9]|add_embedding/],
  ['FLUX.1', /double_blocks|single_transformer_blocks/],
  ['Qwen-Image', /transformer_blocks.*img_mod/],
  ['Wan', /blocks\.\d+\.(?:cross_attn|ffn)\.|blocks_\d+_cross_attn/],
  ['Stable Diffusion 3', /joint_blocks/],
  ['Stable Diffusion 1.5', /lora_unet_down_blocks_0_attentions|lora_te_text_model/],
]

function architectureOf(kind: Kind | undefined, file: Names): string | undefined {
  const { metadata } = file
  if (kind === 'text encoder') return ENCODERS.find(([, test]) => test(file))?.[0]
  const own =
    kind === 'checkpoint' || kind === 'diffusion model' ? DIFFUSION.find(([, test]) => test(file))?.[0] : undefined
  if (own !== undefined) return own
  const said = [metadata['modelspec.architecture'], metadata.ss_base_model_version, metadata.base_model].find(
    (text) => text !== undefined && text !== '',
  )
  const base = said === undefined ? undefined : BASES.find(([pattern]) => pattern.test(said))?.[1]
  if (base !== undefined) return base
  if (kind === 'lora') return ADAPTED.find(([, pattern]) => some(file, pattern))?.[0]
  return said?.slice(0, 60)
}

function precisionOf(tensors: readonly Tensor[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { type, shape } of tensors)
    counts.set(type, (counts.get(type) ?? 0) + shape.reduce((product, one) => product * one, 1))
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}
