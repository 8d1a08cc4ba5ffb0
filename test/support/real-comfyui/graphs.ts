/** Graphs for a real server that need no model but the random checkpoint, and what each gives. */
import { CHECKPOINT } from './start-comfyui.ts'

const node = (classType: string, inputs: object) => ({ class_type: classType, inputs })
const image = (color: number, width = 64) => node('EmptyImage', { width, height: 48, batch_size: 1, color })
const save = (from: string) => node('SaveImage', { images: [from, 0], filename_prefix: 'graph' })

const model = node('CheckpointLoaderSimple', { ckpt_name: CHECKPOINT })
const text = node('CLIPTextEncode', { clip: ['1', 1], text: 'a (lighthouse:1.2)' })
const latent = node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 })
const decoded = (from: string) => node('VAEDecode', { samples: [from, 0], vae: ['1', 2] })

const sampler = (latentImage: string, seed: number, denoise: number) =>
  node('KSampler', {
    ...{ model: ['1', 0], positive: ['2', 0], negative: ['2', 0], latent_image: [latentImage, 0] },
    ...{ cfg: 2, denoise, sampler_name: 'dpmpp_2m', scheduler: 'karras', steps: 2, seed },
  })

/** A payload, and its results in any order: the size of each picture in px, or its text. */
export type OwnGraph = { readonly payload: object; readonly gives: readonly (string | readonly [number, number])[] }

/** The graphs by name. */
export const OWN_GRAPHS: Readonly<Record<string, OwnGraph>> = {
  'numbers and texts': {
    payload: {
      '1': node('PrimitiveInt', { value: 21 }),
      '2': node('ComfyMathExpression', { expression: 'a * b', 'values.a': ['1', 0], 'values.b': ['1', 0] }),
      '3': node('StringConcatenate', { string_a: 'É {a|b}\n', string_b: 'end', delimiter: '"' }),
      '4': node('PreviewAny', { source: ['2', 1] }),
      '5': node('PreviewAny', { source: ['3', 0] }),
    },
    gives: ['441', 'É {a|b}\n"end'],
  },
  masks: {
    payload: {
      '1': node('SolidMask', { value: 1, width: 64, height: 48 }),
      '2': node('SolidMask', { value: 1, width: 32, height: 48 }),
      '3': node('MaskComposite', { destination: ['1', 0], source: ['2', 0], x: 32, y: 0, operation: 'subtract' }),
      '4': node('InvertMask', { mask: ['3', 0] }),
      '5': node('MaskToImage', { mask: ['4', 0] }),
      '6': save('5'),
    },
    gives: [[64, 48]],
  },
  'pictures side by side, one of a batch, a switch': {
    payload: {
      '1': image(255),
      '2': image(65_280, 32),
      '3': node('ImageStitch', {
        ...{ image1: ['1', 0], image2: ['2', 0], direction: 'right' },
        ...{ match_image_size: true, spacing_width: 8, spacing_color: 'red' },
      }),
      '4': save('3'),
      '5': node('ImageBatch', { image1: ['1', 0], image2: ['1', 0] }),
      '6': save('5'),
      '7': node('ComfySwitchNode', { switch: true, on_false: ['1', 0], on_true: ['2', 0] }),
      '8': save('7'),
    },
    gives: [
      [104, 48],
      [64, 48],
      [64, 48],
      [32, 48],
    ],
  },
  'a second pass over a larger latent': {
    payload: {
      ...{ '1': model, '2': text, '3': latent, '4': sampler('3', 1, 1) },
      '5': node('LatentUpscale', {
        ...{ samples: ['4', 0], upscale_method: 'bislerp', width: 96, height: 128, crop: 'disabled' },
      }),
      ...{ '6': sampler('5', 2, 0.5), '7': decoded('6'), '8': save('7') },
    },
    gives: [[96, 128]],
  },
  'a sampler of parts': {
    payload: {
      ...{ '1': model, '2': text, '3': latent },
      '4': node('RandomNoise', { noise_seed: 7 }),
      '5': node('BasicGuider', { model: ['1', 0], conditioning: ['2', 0] }),
      '6': node('KSamplerSelect', { sampler_name: 'euler_ancestral' }),
      '7': node('BasicScheduler', { model: ['1', 0], scheduler: 'simple', steps: 2, denoise: 1 }),
      '8': node('SamplerCustomAdvanced', {
        ...{ noise: ['4', 0], guider: ['5', 0], sampler: ['6', 0], sigmas: ['7', 0], latent_image: ['3', 0] },
      }),
      ...{ '9': decoded('8'), '10': save('9') },
    },
    gives: [[64, 64]],
  },
}

const slot = (name: string, type: string, link: number | null) => ({ name, type, link })
const out = (name: string, type: string, ...links: readonly number[]) => ({ name, type, links })

/**
 * A document of 0.4 with what no payload has: a primitive for a converted widget, a reroute, a node that is bypassed,
 * one that is muted, a note. It saves the picture of the primitive's width, not inverted.
 */
export const DOCUMENT = {
  ...{ last_node_id: 7, last_link_id: 4, groups: [], config: {}, extra: {}, version: 0.4 },
  nodes: [
    { id: 1, type: 'PrimitiveNode', mode: 0, outputs: [out('INT', 'INT', 1)], widgets_values: [80, 'fixed'] },
    {
      ...{ id: 2, type: 'EmptyImage', mode: 0, outputs: [out('IMAGE', 'IMAGE', 2)] },
      inputs: [{ ...slot('width', 'INT', 1), widget: { name: 'width' } }],
      widgets_values: [512, 24, 1, 16_777_215],
    },
    { id: 3, type: 'Reroute', mode: 0, inputs: [slot('', '*', 2)], outputs: [out('', 'IMAGE', 3, 5)] },
    {
      ...{ id: 4, type: 'ImageInvert', mode: 4, widgets_values: [] },
      ...{ inputs: [slot('image', 'IMAGE', 3)], outputs: [out('IMAGE', 'IMAGE', 4)] },
    },
    { id: 5, type: 'SaveImage', mode: 0, inputs: [slot('images', 'IMAGE', 4)], widgets_values: ['document'] },
    { id: 6, type: 'SaveImage', mode: 2, inputs: [slot('images', 'IMAGE', 5)], widgets_values: ['muted'] },
    { id: 7, type: 'Note', mode: 0, widgets_values: ['for people'] },
  ],
  links: [
    [1, 1, 0, 2, 0, 'INT'],
    [2, 2, 0, 3, 0, 'IMAGE'],
    [3, 3, 0, 4, 0, 'IMAGE'],
    [4, 4, 0, 5, 0, 'IMAGE'],
    [5, 3, 0, 6, 0, 'IMAGE'],
  ],
}
