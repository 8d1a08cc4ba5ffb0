/** Inputs of jobs that are given to a real server: what goes well, and what is refused or fails. */
import { CHECKPOINT } from './start-comfyui.ts'

const pixels = { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 8_421_504 } }
const save = (node: string) => ({ class_type: 'SaveImage', inputs: { filename_prefix: 'drydock', images: [node, 0] } })

// A picture of one pixel.
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A graph that samples with the random checkpoint. @param seed as a text, since it may be no double */
export function sampling(seed: string, steps: number): string {
  const graph = {
    '3': {
      class_type: 'KSampler',
      inputs: {
        ...{ cfg: 1, denoise: 1, sampler_name: 'euler', scheduler: 'normal', steps, seed: 'SEED' },
        ...{ model: ['4', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['5', 0] },
      },
    },
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: CHECKPOINT } },
    '5': { class_type: 'EmptyLatentImage', inputs: { batch_size: 1, height: 64, width: 64 } },
    '6': { class_type: 'CLIPTextEncode', inputs: { clip: ['4', 1], text: 'a lighthouse' } },
    '7': { class_type: 'CLIPTextEncode', inputs: { clip: ['4', 1], text: '' } },
    '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
    '9': save('8'),
  }
  return JSON.stringify({ workflow: graph }).replace('"SEED"', seed)
}

const refused = {
  '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: "it's not.safetensors" } },
  '2': { class_type: 'EmptyLatentImage', inputs: { width: 9, height: 64, batch_size: 1 } },
  '3': { class_type: 'VAEDecode', inputs: { samples: ['2', 0], vae: ['1', 2] } },
  '4': save('3'),
}

const film = {
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 8, color: 255 } },
  '2': { class_type: 'CreateVideo', inputs: { images: ['1', 0], fps: 8 } },
  '3': {
    class_type: 'SaveVideo',
    inputs: { video: ['2', 0], filename_prefix: 'films/drydock', format: 'mp4', codec: 'h264' },
  },
}

/** JSON of the inputs by name. They are sent in this order. */
export const SCENARIOS: Readonly<Record<string, string>> = {
  sampling: sampling('18446744073709551615', 6),
  'sampling-cached': sampling('18446744073709551615', 6),
  'images-of-the-job': JSON.stringify({
    workflow: {
      '1': { class_type: 'LoadImage', inputs: { image: 'dot é.png' } },
      '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
      '3': save('2'),
    },
    images: [{ name: 'dot é.png', image: `data:image/png;base64,${DOT}` }],
  }),
  film: JSON.stringify({ workflow: film }),
  text: JSON.stringify({ workflow: { '1': { class_type: 'PreviewAny', inputs: { source: 'a text\nof two lines' } } } }),
  'only-temporary': JSON.stringify({
    workflow: { '1': pixels, '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } },
  }),
  'no-output': JSON.stringify({ workflow: { '1': pixels } }),
  'unknown-class': JSON.stringify({ workflow: { '1': { class_type: 'NoSuchNode', inputs: {} }, '2': save('1') } }),
  refused: JSON.stringify({ workflow: refused }),
  'one-output-refused': JSON.stringify({ workflow: { '1': pixels, '2': save('1'), '3': save('2') } }),
  'node-fails': JSON.stringify({
    workflow: { '1': { class_type: 'LoadImage', inputs: { image: 'broken.png' } }, '2': save('1') },
    images: [{ name: 'broken.png', image: Buffer.from('no picture').toString('base64') }],
  }),
  'bad-base64': JSON.stringify({
    workflow: { '1': pixels, '2': save('1') },
    images: [
      { name: 'a.png', image: 'abcde' },
      { name: 'b.png', image: 'data:image/png;base64,abc' },
    ],
  }),
  'no-payload': JSON.stringify({ workflow: 'a text' }),
  'a-document': JSON.stringify({ workflow: { nodes: [], links: [], version: 0.4 } }),
  'as-a-text': JSON.stringify(JSON.stringify({ workflow: { '1': pixels, '2': save('1') } })),
  'bad-text': JSON.stringify('{"workflow": '),
  nothing: 'null',
  'no-workflow': JSON.stringify({ prompt: 'a lighthouse' }),
  'bad-images': JSON.stringify({ workflow: { '1': pixels, '2': save('1') }, images: [{ name: 'a.png' }] }),
  'images-no-list': JSON.stringify({ workflow: { '1': pixels, '2': save('1') }, images: { name: 'a', image: 'b' } }),
}
