/** Jobs that were made to fill the memory of the sketch worker, or to hold it up for ever. */
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { handler } from '../../../../resources/node/sketch/handler.ts'
import { readPrompt } from '../../../../resources/node/sketch/picture/read-prompt.ts'
import { PictureError, readPicture } from '../../../../resources/node/sketch/raster/read-picture.ts'
import { crc32 } from '../../../../src-main/domain/workflow/metadata/png.ts'
import { type Nodes, run, textToPicture } from './graphs.ts'

function chunk(type: string, data: Uint8Array): Buffer {
  const whole = Buffer.alloc(12 + data.length)
  whole.writeUInt32BE(data.length)
  whole.write(type, 4, 'latin1')
  whole.set(data, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length)
  return whole
}

function head(width: number, height: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width)
  data.writeUInt32BE(height, 4)
  data.set([8, 2, 0, 0, 0], 8)
  return chunk('IHDR', data)
}

const png = (...chunks: readonly Buffer[]) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, chunk('IEND', Buffer.alloc(0))])

const BOMB = deflateSync(Buffer.alloc(200 * 1024 * 1024))
const PIXEL = chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 255])))

describe('a picture', () => {
  it.each([
    ['that unpacks to more than its head says', png(head(1, 1), chunk('IDAT', BOMB))],
    ['with a second head', png(head(1, 1), head(60_000, 60_000), PIXEL)],
    ['of 60,000 x 60,000 pixels', png(head(60_000, 60_000), chunk('IDAT', BOMB))],
    ['that is cut off', png(head(1, 1), PIXEL).subarray(0, 20)],
  ])('%s is refused', (_what, bytes) => {
    expect(() => readPicture(bytes)).toThrow(PictureError)
  })

  it('with a bomb beside its pixels is read without it', () => {
    const profile = chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), BOMB]))
    expect(readPicture(png(head(1, 1), profile, PIXEL)).raster).toMatchObject({ width: 1, height: 1 })
  })

  it('of a thousand scans is refused', () => {
    const frame = Buffer.from([0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 0x1f, 0x40, 0x1f, 0x40, 1, 1, 0x11, 0])
    const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0])
    expect(() => readPicture(Buffer.concat([frame, ...Array.from({ length: 1000 }, () => scan)]))).toThrow('scans')
  })
})

describe('a graph is refused at its node', () => {
  const plain = (value: number) => ({ class_type: 'PrimitiveInt', inputs: { value } })
  const linked = (id: string, input: string, value: number): Nodes => {
    const nodes = textToPicture()
    Object.assign(nodes[id]?.inputs ?? {}, { [input]: ['20', 0] })
    return { ...nodes, 20: plain(value) }
  }
  const doubled = (): Nodes => {
    const nodes: Nodes = {
      0: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
      99: { class_type: 'SaveImage', inputs: { filename_prefix: 'a', images: ['40', 0] } },
    }
    for (let at = 1; at <= 40; at += 1)
      nodes[at] = { class_type: 'ImageBatch', inputs: { image1: [String(at - 1), 0], image2: [String(at - 1), 0] } }
    return nodes
  }
  const cases: readonly [string, Nodes, object][] = [
    ['a width that comes along a link', linked('5', 'width', 1e9), { node: '5', input: 'width' }],
    ['a batch that comes along a link', linked('5', 'batch_size', 1e6), { node: '5', input: 'batch_size' }],
    ['steps that come along a link', linked('3', 'steps', 1e9), { node: '3', input: 'steps' }],
    ['a batch that doubles', doubled(), { class: 'ImageBatch', message: expect.stringContaining('too many') }],
  ]
  it.each(cases)('%s', async (_what, nodes, error) => {
    const inputText = JSON.stringify({ workflow: nodes })
    const answer = await handler(
      { id: 'j', inputText } as Parameters<typeof handler>[0],
      { signal: AbortSignal.timeout(60_000), progress: () => undefined } as unknown as Parameters<typeof handler>[1],
    )
    expect(answer).toMatchObject({ error })
  })
})

it('a tiny part of a schedule is the end of a long one, not of one of billions', async () => {
  const nodes = textToPicture()
  Object.assign(nodes[3]?.inputs ?? {}, { steps: 20, denoise: 1e-12 })
  expect((await run(nodes)).images).toHaveLength(1)
})

it('prompts that are put together forty times stay prompts', async () => {
  const nodes = textToPicture()
  for (let at = 0; at < 40; at += 1) {
    const before = [at === 0 ? '6' : `c${at - 1}`, 0]
    nodes[`c${at}`] = { class_type: 'ConditioningCombine', inputs: { conditioning_1: before, conditioning_2: before } }
  }
  Object.assign(nodes[3]?.inputs ?? {}, { positive: ['c39', 0] })
  expect((await run(nodes)).images).toHaveLength(1)
})

it('thirty passes over one picture paint each of them once', async () => {
  const nodes = textToPicture({ steps: 1 })
  const sampler = nodes[3]
  for (let at = 0; at < 30; at += 1) {
    const inputs = { ...sampler?.inputs, denoise: 0.4, latent_image: [at === 0 ? '3' : `k${at - 1}`, 0] }
    nodes[`k${at}`] = { class_type: 'KSampler', inputs }
  }
  Object.assign(nodes[8]?.inputs ?? {}, { samples: ['k29', 0] })
  expect((await run(nodes)).images).toHaveLength(1)
})

it('a prompt of a million brackets is read', () => {
  const words = readPrompt(`${'('.repeat(1_000_000)}${'cat '.repeat(300)}`)
  expect(words).toHaveLength(300)
  expect(words[0]).toEqual({ text: 'cat', strength: 5 })
})
