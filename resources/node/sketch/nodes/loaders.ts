/** Loaders. There are no weights: names are accepted as they are, and change the look a little. */
import type { Inputs } from '../graph/inputs.ts'
import type { NodeRun } from '../graph/node-run.ts'
import type { Model, Value } from '../values.ts'

const model = (style: string, shift = 1): Value => ({ kind: 'MODEL', model: { style, shift } })
const clip = (style: string): Value => ({ kind: 'CLIP', style })
const VAE: Value = { kind: 'VAE' }

const withShift = (given: Model, shift: number): Value => ({ kind: 'MODEL', model: { ...given, shift } })

function withLora(inputs: Inputs): Value {
  const { model: given } = inputs.take('model', 'MODEL')
  const strength = inputs.number('strength_model')
  if (strength === 0) return { kind: 'MODEL', model: given }
  return { kind: 'MODEL', model: { ...given, style: `${given.style} ${inputs.text('lora_name')} ${strength}` } }
}

// Flux moves its schedule with the size of the picture: from 256 to 4096 cells of 16 x 16 pixels, in equal steps.
function fluxShift(inputs: Inputs): number {
  const cells = (inputs.number('width') * inputs.number('height')) / 256
  const [least, most] = [inputs.number('base_shift'), inputs.number('max_shift')]
  return Math.exp(least + ((most - least) * (cells - 256)) / (4096 - 256))
}

/** By class. */
export const LOADERS: Readonly<Record<string, NodeRun>> = {
  CheckpointLoaderSimple: (inputs) => [model(inputs.text('ckpt_name')), clip(inputs.text('ckpt_name')), VAE],
  UNETLoader: (inputs) => [model(inputs.text('unet_name'))],
  CLIPLoader: (inputs) => [clip(inputs.text('clip_name'))],
  DualCLIPLoader: (inputs) => [clip(inputs.text('clip_name1'))],
  TripleCLIPLoader: (inputs) => [clip(inputs.text('clip_name1'))],
  VAELoader: () => [VAE],
  LoraLoader: (inputs) => [withLora(inputs), inputs.take('clip', 'CLIP')],
  LoraLoaderModelOnly: (inputs) => [withLora(inputs)],
  CLIPSetLastLayer: (inputs) => [inputs.take('clip', 'CLIP')],
  ModelSamplingSD3: (inputs) => [withShift(inputs.take('model', 'MODEL').model, inputs.number('shift'))],
  ModelSamplingAuraFlow: (inputs) => [withShift(inputs.take('model', 'MODEL').model, inputs.number('shift'))],
  ModelSamplingFlux: (inputs) => [withShift(inputs.take('model', 'MODEL').model, fluxShift(inputs))],
  PrimitiveInt: (inputs) => [{ kind: 'PLAIN', text: String(inputs.whole('value')) }],
  PrimitiveFloat: (inputs) => [{ kind: 'PLAIN', text: String(inputs.number('value')) }],
  PrimitiveString: (inputs) => [{ kind: 'PLAIN', text: inputs.text('value') }],
}
