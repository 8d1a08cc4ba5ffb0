/** What settings do to the pictures of the sketch worker, as people expect of them. */
import { describe, expect, it } from 'vitest'
import { difference, pictureToPicture, pixelsOf, run, type Settings, textsOf, textToPicture } from './graphs.ts'

const pictureOf = (settings: Settings) => pixelsOf(textToPicture(settings))

describe('a seed', () => {
  it('gives the same picture each time, and the next one another, up to 2^64-1', async () => {
    const seeds = ['18446744073709551615', '18446744073709551614', '9007199254740992', '9007199254740993', '0']
    const pictures: Uint8Array[] = []
    for (const seed of seeds) pictures.push(await pictureOf({ seed }))
    expect(await pictureOf({ seed: seeds[0] ?? '', prompt: 'other words, so that nothing is kept' })).not.toEqual(
      pictures[0],
    )
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

it('words make the picture: each prompt another, and the negative one a little', async () => {
  const plain = await pictureOf({})
  const others = ['a castle in the desert', 'a galaxy', 'quantum jazz breakfast', 'a boat on the sea at night']
  for (const prompt of others)
    expect([prompt, difference(plain, await pictureOf({ prompt })) > 10]).toEqual([prompt, true])
  const away = difference(plain, await pictureOf({ negative: 'red sunset', cfg: 14 }))
  expect(away).toBeGreaterThan(0.5)
})

it('brackets give a word more weight', async () => {
  const prompt = 'a blue house, red sky'
  expect(
    difference(await pictureOf({ prompt }), await pictureOf({ prompt: 'a (blue:1.6) house, red sky' })),
  ).toBeGreaterThan(1)
})

it('more steps come closer to where they lead', async () => {
  const end = await pictureOf({ steps: 120 })
  const far: number[] = []
  for (const steps of [1, 3, 12, 60]) far.push(difference(end, await pictureOf({ steps })))
  expect(far).toEqual(far.toSorted((a, b) => b - a))
  expect(far[0]).toBeGreaterThan(4 * (far[3] ?? 0))
})

it('cfg makes it stronger, from pale to burnt', async () => {
  const contrasts: number[] = []
  for (const cfg of [1, 4, 8, 20]) {
    const pixels = await pictureOf({ cfg })
    const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length
    contrasts.push(Math.sqrt(pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length))
  }
  expect(contrasts).toEqual(contrasts.toSorted((a, b) => a - b))
})

it('samplers and schedules agree on the picture and differ in it; an unknown one is told of', async () => {
  const settings = { steps: 24, size: 128 }
  const plain = await pictureOf(settings)
  for (const [sampler, scheduler] of [
    ['heun', 'karras'],
    ['dpmpp_2m', 'karras'],
    ['dpmpp_2m', 'sgm_uniform'],
    ['ddim', 'simple'],
  ] as const) {
    const far = difference(plain, await pictureOf({ ...settings, sampler, scheduler }))
    expect([sampler, scheduler, far > 0 && far < 8]).toEqual([sampler, scheduler, true])
  }
  const { notes } = await run(textToPicture({ sampler: 'uni_pc', scheduler: 'beta' }))
  expect(notes?.slice(1)).toEqual([
    'The stand-in has no schedule beta: normal was used instead (node 3)',
    'The stand-in has no sampler uni_pc: dpmpp_2m was used instead (node 3)',
  ])
})

it('the size is that of the latent, and a batch has as many pictures, each its own', async () => {
  const { images = [] } = await run(textToPicture({ batch: 3 }))
  expect(new Set(images.map(({ data }) => data)).size).toBe(3)
  expect((await pictureOf({ size: 96 })).length).toBe(96 * 96 * 3)
})

describe('denoise over a picture', () => {
  it('leaves the more of it the smaller it is', async () => {
    const { images: [begin] = [] } = await run(textToPicture({ prompt: 'a castle in the desert' }))
    const images = [{ name: 'begin.png', image: `data:image/png;base64,${begin?.data}` }]
    const before = await pixelsOf(textToPicture({ prompt: 'a castle in the desert' }))
    const far: number[] = []
    for (const denoise of [0.05, 0.3, 0.6, 1])
      far.push(difference(before, await pixelsOf(pictureToPicture(denoise, { prompt: 'a galaxy' }), { images })))
    expect(far).toEqual(far.toSorted((a, b) => a - b))
    expect(far[0]).toBeLessThan(8)
    expect(far[3]).toBeGreaterThan(30)
  })

  it('keeps the composition when a latent is enlarged and gone over again', async () => {
    const nodes = textToPicture()
    nodes[20] = {
      class_type: 'LatentUpscale',
      inputs: { samples: ['3', 0], upscale_method: 'bilinear', width: 128, height: 128, crop: 'disabled' },
    }
    const { inputs = {} } = nodes[3] ?? {}
    nodes[21] = { class_type: 'KSampler', inputs: { ...inputs, denoise: 0.5, latent_image: ['20', 0] } }
    nodes[22] = { class_type: 'VAEDecode', inputs: { samples: ['21', 0], vae: ['4', 2] } }
    nodes[23] = {
      class_type: 'ImageScale',
      inputs: { image: ['22', 0], upscale_method: 'area', width: 64, height: 64, crop: 'disabled' },
    }
    const small = await pixelsOf(textToPicture())
    nodes[9] = { class_type: 'SaveImage', inputs: { filename_prefix: 'x', images: ['23', 0] } }
    expect(difference(small, await pixelsOf(nodes))).toBeLessThan(20)
  })
})

it('what is masked stays', async () => {
  const { images: [begin] = [] } = await run(textToPicture({ prompt: 'a castle in the desert' }))
  const nodes = pictureToPicture(1, { prompt: 'a galaxy' })
  // The picture has no transparent part, so its mask lets nothing change.
  nodes[12] = { class_type: 'SetLatentNoiseMask', inputs: { samples: ['11', 0], mask: ['10', 1] } }
  Object.assign(nodes[3]?.inputs ?? {}, { latent_image: ['12', 0] })
  const images = [{ name: 'begin.png', image: begin?.data }]
  const before = await pixelsOf(textToPicture({ prompt: 'a castle in the desert' }))
  expect(difference(before, await pixelsOf(nodes, { images }))).toBeLessThan(4)
})
