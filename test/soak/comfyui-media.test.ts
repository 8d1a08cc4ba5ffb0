/** Pictures with masks, films and sounds through the bridge before a real ComfyUI; see test/support/real-comfyui. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode as decodeJpeg } from 'jpeg-js'
import { describe, expect } from 'vitest'
import type { RunResult } from '../../src-main/contract/workflows.ts'
import { findGraph } from '../../src-main/features/workflows/rules/metadata/find-graph.ts'
import { fileTools } from '../../src-main/shipped-files/resources.ts'
import { beforeComfyUi, ENDPOINT, PATIENCE_MS, type Returned } from '../support/real-comfyui/before-comfyui.ts'
import { type Columns, difference, MASKED, mask, maskedPicture, picture } from '../support/real-comfyui/pictures.ts'
import { sampling } from '../support/real-comfyui/scenarios.ts'
import { CHECKPOINT } from '../support/real-comfyui/start-comfyui.ts'
import { until } from '../support/served-service.ts'

const node = (classType: string, inputs: object) => ({ class_type: classType, inputs })
const save = (from: string, prefix: string) => node('SaveImage', { images: [from, 0], filename_prefix: prefix })

const sent = (images: Readonly<Record<string, Uint8Array>>) =>
  Object.entries(images).map(([name, bytes]) => ({ name, image: Buffer.from(bytes).toString('base64') }))

const WITH_MASK_FILE = {
  load: {
    image: node('LoadImage', { image: 'picture.png' }),
    mask: node('LoadImageMask', { image: 'mask.png', channel: 'red' }),
  },
  mask: ['mask', 0],
  images: sent({ 'picture.png': picture(), 'mask.png': mask() }),
}
const WITH_ALPHA = {
  load: { image: node('LoadImage', { image: 'masked.png' }) },
  mask: ['image', 1],
  images: sent({ 'masked.png': maskedPicture() }),
}
type Masked = typeof WITH_MASK_FILE | typeof WITH_ALPHA

const image = ['image', 0]
const vae = ['model', 2]

/** Repaints under the mask, from the image there with some noise. */
const imageToImage = ({ mask }: Masked) => ({
  encoded: node('VAEEncode', { pixels: image, vae }),
  latent: node('SetLatentNoiseMask', { samples: ['encoded', 0], mask }),
})

/** Nothing of what was under the mask counts. */
const inpainting = ({ mask }: Masked) => ({
  latent: node('VAEEncodeForInpaint', { pixels: image, vae, mask, grow_mask_by: 0 }),
})

/** A job that paints under a mask. Its results: what was sampled, the same latent without a step, and both together. */
function painting(masked: Masked, latent: object, denoise: number): string {
  const latentImage = ['latent', 0]
  const text = ['text', 0]
  const sampler = {
    ...{ model: ['model', 0], positive: text, negative: text, latent_image: latentImage },
    ...{ cfg: 1, denoise, sampler_name: 'euler', scheduler: 'normal', steps: 4, seed: 7 },
  }
  const composite = { x: 0, y: 0, resize_source: false, mask: masked.mask }
  const workflow = {
    ...masked.load,
    ...latent,
    model: node('CheckpointLoaderSimple', { ckpt_name: CHECKPOINT }),
    text: node('CLIPTextEncode', { clip: ['model', 1], text: 'a lighthouse' }),
    sampler: node('KSampler', sampler),
    sampled: node('VAEDecode', { samples: ['sampler', 0], vae }),
    unsampled: node('VAEDecode', { samples: latentImage, vae }),
    together: node('ImageCompositeMasked', { destination: image, source: ['sampled', 0], ...composite }),
    'save-sampled': save('sampled', 'sampled'),
    'save-unsampled': save('unsampled', 'unsampled'),
    'save-together': save('together', 'together'),
  }
  return JSON.stringify({ workflow, images: masked.images })
}

/** The only file of each prefix. */
function bytesByPrefix(files: readonly Returned[]) {
  const of = (prefix: string) => files.find(({ filename }) => filename.startsWith(`${prefix}_`))?.bytes ?? Buffer.of()
  return { sampled: of('sampled'), unsampled: of('unsampled'), together: of('together') }
}

const EXR = { format: 'exr', 'format.bit_depth': '32-bit float', 'format.input_color_space': 'sRGB' }
const DEEP_PNG = { format: 'png', 'format.bit_depth': '16-bit', 'format.input_color_space': 'sRGB' }

// Farther from the mask than the decoder sees: it looks some 18 latents around.
const FAR: Columns = [0, 32]
const NOT_MASKED: Columns = [0, MASKED[0]]

describe('before a real ComfyUI', () => {
  const { server, test, withService, queue } = beforeComfyUi()

  test('a masked picture changes under its mask alone, given as a file or as alpha, from its own pixels or anew', async () => {
    const service = await withService()
    for (const [latentOf, denoise] of [
      [imageToImage, 0.6],
      [inpainting, 1],
    ] as const) {
      const both = []
      for (const masked of [WITH_MASK_FILE, WITH_ALPHA]) {
        const files = await service.returned(await service.send(painting(masked, latentOf(masked), denoise)))
        const { sampled, unsampled, together } = bytesByPrefix(files)
        expect(difference(sampled, unsampled, FAR).most).toBeLessThanOrEqual(1)
        expect(difference(sampled, unsampled, MASKED).mean).toBeGreaterThan(10)
        expect(difference(together, picture(), NOT_MASKED).most).toBe(0)
        expect(difference(together, sampled, MASKED).most).toBe(0)
        both.push(sampled)
      }
      const [byFile, byAlpha] = both
      expect(difference(byFile ?? Buffer.of(), byAlpha ?? Buffer.of(), [0, MASKED[1]]).most).toBe(0)
    }
  })

  test('films, sounds and animated pictures come back as they lie on the server, each with its type and its graph', async () => {
    const service = await withService()
    const source = (name: string) => [name, 0]
    const frames = { images: source('frames') }
    const sound = { audio: source('sound') }
    const film = { video: source('film') }
    const savers: Readonly<Record<string, readonly [mediaType: string, classType: string, inputs: object]>> = {
      'animated-png': ['image/png', 'SaveAnimatedPNG', { ...frames, fps: 4, compress_level: 4 }],
      'deep-png': ['image/png', 'SaveImageAdvanced', { images: source('frame'), ...DEEP_PNG }],
      exr: ['application/octet-stream', 'SaveImageAdvanced', { images: source('frame'), ...EXR }],
      webp: ['image/webp', 'SaveAnimatedWEBP', { ...frames, fps: 4, lossless: true, quality: 80, method: 'default' }],
      flac: ['audio/flac', 'SaveAudio', sound],
      mp3: ['audio/mpeg', 'SaveAudioMP3', { ...sound, quality: 'V0' }],
      opus: ['audio/ogg', 'SaveAudioOpus', { ...sound, quality: '64k' }],
      mp4: ['video/mp4', 'SaveVideo', { ...film, format: 'mp4', 'format.codec': 'h264' }],
      mkv: ['video/matroska', 'SaveVideo', { ...film, format: 'mkv', 'format.codec': 'h264' }],
      'webm-av1': ['video/webm', 'SaveVideo', { ...film, format: 'webm', 'format.codec': 'av1' }],
      'webm-vp9': ['video/webm', 'SaveWEBM', { ...frames, codec: 'vp9', fps: 4, crf: 32 }],
      latent: ['application/octet-stream', 'SaveLatent', { samples: source('latent') }],
    }
    const graph = {
      frames: node('EmptyImage', { width: 64, height: 48, batch_size: 3, color: 255 }),
      frame: node('EmptyImage', { width: 64, height: 48, batch_size: 1, color: 255 }),
      sound: node('EmptyAudio', { duration: 1, sample_rate: 48_000, channels: 2 }),
      film: node('CreateVideo', { images: source('frames'), audio: source('sound'), fps: 4 }),
      latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
      ...Object.fromEntries(
        Object.entries(savers).map(([name, [, classType, inputs]]) => [
          `save ${name}`,
          node(classType, { ...inputs, filename_prefix: name }),
        ]),
      ),
    }
    const { results } = await service.libraryRun(graph)
    const kinds = results.map((result: RunResult) => `${result.node}: ${result.mediaType}`)
    const wanted = Object.entries(savers).map(([name, [mediaType]]) => `save ${name}: ${mediaType}`)
    expect(kinds.toSorted()).toEqual(wanted.toSorted())
    for (const { filename, asset } of results) {
      const bytes = await service.asset(asset)
      expect([filename, bytes.equals(readFileSync(join(server().folder, 'output', filename)))]).toEqual([
        filename,
        true,
      ])
      expect([filename, findGraph(bytes, fileTools).kind]).toEqual([filename, 'document'])
      if (!/^(webp|mp3|mkv)/.test(filename)) continue
      writeFileSync(join(service.folder, filename), bytes)
      const { stdout } = await service.command('workflow', 'convert', filename, '--to', 'api')
      expect(JSON.parse(stdout)).toMatchObject(graph)
    }
  })

  test('the command line writes what preview nodes show, and a sampler shows what it is at', async () => {
    const service = await withService()
    const { workflow } = JSON.parse(sampling('1', 4))
    const graph = { ...workflow, '10': node('PreviewImage', { images: ['8', 0] }) }
    writeFileSync(join(service.folder, 'graph.json'), JSON.stringify(graph))
    const run = ['workflow', 'run', 'graph.json', '--endpoint', ENDPOINT, '--previews', '-o', 'made']
    const { exitCode, stdout } = await service.command(...run)
    const { results, previews } = JSON.parse(stdout)
    expect([exitCode, results.length, previews.length]).toEqual([0, 1, 1])
    expect(difference(readFileSync(results[0].file), readFileSync(previews[0].file), [0, 64]).most).toBe(0)

    const job = await service.send(sampling('2', 3000))
    await until(async () => {
      const { output } = await service.get(`/v2/${ENDPOINT}/status/${job}`)
      expect(output).toMatchObject({ node: '3', steps: 3000, preview: { node: '3' } })
      const [head, data] = output.preview.data.split(',')
      expect(head).toBe('data:image/jpeg;base64')
      expect(decodeJpeg(Buffer.from(data, 'base64'))).toMatchObject({ width: 512, height: 512 })
    }, PATIENCE_MS)
    await service.post(`/v2/${ENDPOINT}/cancel/${job}`)
    await until(async () => expect(await queue()).toEqual([]), PATIENCE_MS)
  })
})
