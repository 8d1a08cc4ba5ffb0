/** Pictures of the sketch worker: seed, prompt, size, batch and texts. */
import { describe, expect, it } from 'vitest'
import {
  difference,
  type Nodes,
  pictureToPicture,
  pixelsOf,
  run,
  type Settings,
  textsOf,
  textToPicture,
} from './graphs.ts'

const pictureOf = (settings: Settings) => pixelsOf(textToPicture({ steps: 1, ...settings }))

describe('a seed', () => {
  it('gives the same picture each time, and the next one another, up to 2^64-1', async () => {
    const seeds = ['18446744073709551615', '18446744073709551614', '9007199254740992', '9007199254740993', '0']
    const pictures: Uint8Array[] = []
    for (const seed of seeds) pictures.push(await pictureOf({ seed }))
    expect(await pictureOf({ seed: seeds[0] ?? '' })).toEqual(pictures[0])
    const same = pictures.flatMap((one, at) => pictures.slice(at + 1).filter((other) => difference(one, other) < 1))
    expect(same).toEqual([])
  })

  it('stands in the file exactly, with the whole graph and what made it', async () => {
    const { images: [image] = [] } = await run(textToPicture({ seed: '18446744073709551615' }))
    if (image === undefined) return expect.fail('not a picture')
    expect(image).toMatchObject({ filename: expect.stringMatching(/^test_\d{5}_\.png$/), type: 'base64', node: '9' })
    const { prompt, Comment } = textsOf(image)
    expect(prompt).toBe(JSON.stringify(textToPicture({ seed: '18446744073709551615' })))
    expect(Comment).toContain('a stand-in without a model')
  })
})

it('the prompt is written in the picture', async () => {
  const size = 256
  const lower = (pixels: Uint8Array) => pixels.subarray(Math.floor(pixels.length * 0.75))
  const lightOf = (pixels: Uint8Array) => lower(pixels).filter((value) => value === 240).length
  const [none, one, long] = [
    await pictureOf({ size, prompt: '' }),
    await pictureOf({ size, prompt: 'cat' }),
    await pictureOf({ size, prompt: 'a cat under a lamp, Ünïcode 猫' }),
  ]
  expect([lightOf(none), lightOf(one)]).toEqual([0, expect.toSatisfy((count: number) => count > 100)])
  expect(lightOf(long)).toBeGreaterThan(2 * lightOf(one))
})

it('every setting matters a little: prompt, negative prompt, steps, cfg, sampler, schedule and denoise', async () => {
  const pictures = [
    await pictureOf({}),
    await pictureOf({ prompt: 'a castle in the desert' }),
    await pictureOf({ negative: 'red sunset' }),
    await pictureOf({ steps: 2 }),
    await pictureOf({ cfg: 3 }),
    await pictureOf({ sampler: 'uni_pc' }),
    await pictureOf({ scheduler: 'beta' }),
  ]
  expect(new Set(pictures.map((pixels) => Buffer.from(pixels).toString('base64'))).size).toBe(pictures.length)
})

it('the size is that of the latent, and a batch has as many pictures, each its own', async () => {
  const { images = [] } = await run(textToPicture({ batch: 3, steps: 1 }))
  expect(new Set(images.map(({ data }) => data)).size).toBe(3)
  expect((await pictureOf({ size: 96 })).length).toBe(96 * 96 * 3)
})

it('a picture of the job gives its size, and is refused above 16 million pixels', async () => {
  const { images: [begin] = [] } = await run(textToPicture({ size: 128, steps: 1 }))
  const bytes = Buffer.from(begin?.data ?? '', 'base64')
  const load = (file: Buffer, denoise = 0.5) => {
    const images = [{ name: 'begin.png', image: `data:image/png;base64,${file.toString('base64')}` }]
    return [pictureToPicture(denoise, { steps: 1 }), { images }] as const
  }
  const some = await pixelsOf(...load(bytes))
  expect(some.length).toBe(128 * 128 * 3)
  expect(await pixelsOf(...load(bytes, 0.6))).not.toEqual(some)
  bytes.writeUInt32BE(60_000, 16)
  bytes.writeUInt32BE(60_000, 20)
  expect((await run(...load(bytes))).error).toMatchObject({ node: '10', message: expect.stringContaining('60000') })
})

it('a graph of separate loaders, guider, noise and schedule, with scaled and inverted pictures', async () => {
  const node = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs })
  const nodes: Nodes = {
    1: node('UNETLoader', { unet_name: 'a.safetensors', weight_dtype: 'default' }),
    2: node('DualCLIPLoader', { clip_name1: 'b', clip_name2: 'c', type: 'flux' }),
    3: node('VAELoader', { vae_name: 'd' }),
    4: node('LoraLoader', { lora_name: 'e', strength_model: 1, strength_clip: 1, model: ['1', 0], clip: ['2', 0] }),
    5: node('CLIPTextEncodeFlux', { clip_l: 'a cat', t5xxl: 'a cat', guidance: 3.5, clip: ['4', 1] }),
    6: node('FluxGuidance', { guidance: 3, conditioning: ['5', 0] }),
    7: node('BasicGuider', { model: ['4', 0], conditioning: ['6', 0] }),
    8: node('RandomNoise', { noise_seed: 5 }),
    9: node('KSamplerSelect', { sampler_name: 'euler' }),
    10: node('BasicScheduler', { scheduler: 'simple', steps: 3, denoise: 1, model: ['4', 0] }),
    11: node('PrimitiveInt', { value: 64 }),
    12: node('EmptySD3LatentImage', { width: ['11', 0], height: 32, batch_size: 2 }),
    13: node('SamplerCustomAdvanced', {
      ...{ noise: ['8', 0], guider: ['7', 0], sampler: ['9', 0], sigmas: ['10', 0], latent_image: ['12', 0] },
    }),
    14: node('VAEDecode', { samples: ['13', 1], vae: ['3', 0] }),
    15: node('ImageScale', { image: ['14', 0], upscale_method: 'area', width: 128, height: 0, crop: 'disabled' }),
    16: node('SaveImage', { images: ['15', 0], filename_prefix: 'flux' }),
  }
  const { images, error } = await run(nodes)
  expect([error, images?.length]).toEqual([undefined, 2])
  const pixels = await pixelsOf(nodes)
  expect(pixels.length).toBe(128 * 64 * 3)
  nodes[17] = node('ImageInvert', { image: ['15', 0] })
  Object.assign(nodes[16]?.inputs ?? {}, { images: ['17', 0] })
  expect(await pixelsOf(nodes)).toEqual(pixels.map((value) => 255 - value))
})
