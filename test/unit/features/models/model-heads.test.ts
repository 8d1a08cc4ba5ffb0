import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createReadInThread } from '../../../../src-main/app/read-in-thread.ts'
import type { ModelFacts } from '../../../../src-main/contract/models.ts'
import { createReadHead } from '../../../../src-main/features/models/read-head.ts'
import { HEAD_BYTES_MAX } from '../../../../src-main/features/models/rules/model-heads.ts'
import { factsOfHead } from '../../../../src-main/features/models/rules/recognise-model.ts'
import { inspectModel } from '../../../../src-main/features/models/store/scan-models.ts'
import { cpuOf, expectShortHold } from '../../../support/main-thread.ts'
import { LORA, safetensors, type TestTensors, withHead } from '../../../support/model-files.ts'

const READ = async (json: string, dataBytes: number) => factsOfHead(json, dataBytes)

async function inspect(bytes: Uint8Array, name = 'a.safetensors'): Promise<ModelFacts> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-heads-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, bytes)
  return inspectModel({ path, name, bytes: bytes.length }, READ)
}

const tensors = (shapes: Readonly<Record<string, readonly number[]>>, dtype = 'F16'): TestTensors =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { dtype, shape }]))

const UNET = 'model.diffusion_model.input_blocks.4.1.transformer_blocks.0.attn2.to_k.weight'
const VAE = 'first_stage_model.decoder.conv_in.weight'

test.each<[string, Readonly<Record<string, readonly number[]>>, string, string | undefined]>([
  ['a checkpoint of SDXL', { [UNET]: [1, 2048], [VAE]: [1] }, 'checkpoint', 'SDXL'],
  ['a checkpoint of 1.5', { [UNET.replace('4.1', '1.1')]: [1, 768], [VAE]: [1] }, 'checkpoint', 'Stable Diffusion 1.5'],
  [
    'FLUX.1 dev',
    { 'double_blocks.0.img_attn.norm.key_norm.scale': [1], 'guidance_in.in_layer.weight': [1] },
    'diffusion model',
    'FLUX.1 dev',
  ],
  ['FLUX.1', { 'double_blocks.0.img_attn.norm.key_norm.scale': [1] }, 'diffusion model', 'FLUX.1'],
  ['Qwen-Image', { 'transformer_blocks.0.img_mod.1.weight': [1] }, 'diffusion model', 'Qwen-Image'],
  ['Wan', { 'blocks.0.cross_attn.norm_k.weight': [1] }, 'diffusion model', 'Wan'],
  ['CLIP-L', { 'text_model.embeddings.token_embedding.weight': [2, 768] }, 'text encoder', 'CLIP-L'],
  ['T5-XXL', { 'encoder.block.0.layer.0.SelfAttention.q.weight': [2, 4096] }, 'text encoder', 'T5-XXL'],
  ['a VAE', { 'decoder.conv_in.weight': [1], 'encoder.conv_in.weight': [1] }, 'vae', undefined],
  ['an upscaler', { 'conv_first.weight': [1] }, 'upscaler', undefined],
  ['a ControlNet', { 'control_model.input_blocks.0.0.weight': [1] }, 'controlnet', undefined],
  ['a vision encoder', { 'vision_model.embeddings.class_embedding': [1] }, 'vision encoder', undefined],
  ['an embedding', { emb_params: [2, 768] }, 'embedding', undefined],
])('%s is recognised by its tensors', async (_what, shapes, kind, architecture) => {
  expect(await inspect(safetensors(tensors(shapes)))).toEqual({
    format: 'safetensors',
    kind,
    ...(architecture === undefined ? {} : { architecture }),
    precision: 'F16',
    parameters: Object.values(shapes).reduce((sum, shape) => sum + shape.reduce((product, one) => product * one, 1), 0),
  })
})

test('metadata says what a LoRA was made for, and its title', async () => {
  expect(await inspect(LORA)).toMatchObject({ kind: 'lora', architecture: 'SDXL' })
  const titled = safetensors(tensors({ 'x.lora_A.weight': [1] }), {
    'modelspec.title': 'Ink',
    'modelspec.architecture': 'flux-1-dev/lora',
  })
  expect(await inspect(titled)).toMatchObject({ kind: 'lora', architecture: 'FLUX.1', title: 'Ink' })
})

const lies = (entry: object, dataBytes = 4) => withHead(JSON.stringify({ a: entry }), dataBytes)
const HONEST = { dtype: 'F32', shape: [1], data_offsets: [0, 4] }

test.each<[string, Buffer, RegExp]>([
  ['too short', Buffer.from('abc'), /too short/],
  ['a length beyond the file', withHead('{}', 0, 1000), /longer than the file/],
  ['a length of 2^64-1', withHead('{}', 0, 2n ** 64n - 1n), /longer than the file/],
  ['a head that is no JSON', withHead('{"a":', 0), /not JSON/],
  ['a head that is a list', withHead('[1]', 0), /not JSON/],
  [
    'a head that is no text',
    Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from([0xff, 0xfe])]),
    /not JSON/,
  ],
  ['a head nested a hundred thousand deep', withHead(`{"a":${'['.repeat(100_000)}`, 0), /holds more/],
  ['a head of a million lists', withHead(`{"a":[${'[],'.repeat(1_000_000)}0]}`, 0), /holds more/],
  ['a head of a million keys', withHead(`{${'"a":0,'.repeat(1_000_000)}"a":0}`, 0), /holds more/],
  ['an end beyond the file', lies({ ...HONEST, shape: [2], data_offsets: [0, 8] }), /incomplete or damaged/],
  ['a beginning after the end', lies({ ...HONEST, data_offsets: [4, 0] }), /incomplete or damaged/],
  ['a place that is no whole number', lies({ ...HONEST, data_offsets: [0, 4.5] }), /has no offset/],
  ['a place below zero', lies({ ...HONEST, data_offsets: [-4, 0] }), /has no offset/],
  ['a shape that is longer than its bytes', lies({ ...HONEST, shape: [1_000_000] }), /not as long as its shape/],
  [
    'a shape whose product overflows',
    lies({ ...HONEST, shape: [2 ** 53 - 1, 2 ** 53 - 1] }),
    /not as long as its shape/,
  ],
  ['a shape below zero', lies({ ...HONEST, shape: [-1] }), /no type or shape/],
  ['bytes that belong to nothing', lies(HONEST, 9), /5 bytes at its end belong to no tensor/],
  ['a tensor that is a text', withHead('{"a":"b"}', 0), /not described/],
])('a hostile safetensors file is told as damaged: %s', async (_what, bytes, fault) => {
  expect(await inspect(bytes)).toEqual({ format: 'safetensors', fault: expect.stringMatching(fault) })
})

test('a head longer than the limit is not read', async () => {
  const bytes = Buffer.alloc(HEAD_BYTES_MAX + 9)
  bytes.writeBigUInt64LE(BigInt(HEAD_BYTES_MAX + 1))
  expect(await inspect(bytes)).toEqual({ format: 'safetensors', fault: 'its header is longer than 8 MiB' })
})

test('names like those of objects are names', async () => {
  const head = '{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"constructor":"x"}}'
  expect(await inspect(withHead(head, 4))).toMatchObject({ format: 'safetensors', parameters: 1 })
})

/** A GGUF file with these texts. */
function gguf(keys: readonly (readonly [string, string | number])[], count = keys.length): Buffer {
  const text = (value: string) => {
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)))
    return Buffer.concat([length, Buffer.from(value)])
  }
  const number = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const head = Buffer.alloc(24)
  head.write('GGUF')
  head.writeUInt32LE(3, 4)
  head.writeBigUInt64LE(BigInt(count), 16)
  const entries = keys.map(([key, value]) =>
    Buffer.concat(
      typeof value === 'string' ? [text(key), number(8), text(value)] : [text(key), number(4), number(value)],
    ),
  )
  return Buffer.concat([head, ...entries])
}

test('a GGUF file tells its architecture, and lengths in it are not believed', async () => {
  const bytes = gguf([
    ['general.architecture', 'flux'],
    ['general.file_type', 15],
    ['general.name', 'Dev'],
  ])
  const facts = { format: 'gguf', kind: 'diffusion model', architecture: 'FLUX.1', title: 'Dev', precision: 'Q4_K_M' }
  expect(await inspect(bytes, 'a.gguf')).toEqual(facts)
  expect(await inspect(gguf([['general.architecture', 't5']], 2 ** 40), 'a.gguf')).toEqual({
    format: 'gguf',
    kind: 'text encoder',
    architecture: 'T5',
  })
  const cut = gguf([['general.architecture', 'flux']])
  cut.writeBigUInt64LE(2n ** 63n, 24)
  expect(await inspect(cut, 'a.gguf')).toEqual({ format: 'gguf' })
  expect(await inspect(Buffer.from('GGUF'), 'a.gguf')).toMatchObject({ fault: 'it is too short' })
})

test('a pickle is recognised and nothing of it is loaded', async () => {
  const evil = Buffer.concat([Buffer.from([0x80, 0x02]), Buffer.from("cos\nsystem\n(S'touch /tmp/owned'\ntR.")])
  expect(await inspect(evil, 'a.ckpt')).toEqual({ format: 'pickle' })
  expect(await inspect(Buffer.from('PK\u0003\u0004rest'), 'a.pt')).toEqual({ format: 'pickle' })
  expect(await inspect(Buffer.from('anything'), 'a.bin')).toEqual({ format: 'unknown' })
})

test('a file that cannot be read says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-heads-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'a.safetensors'))
  expect(
    await inspectModel({ path: join(folder, 'a.safetensors'), name: 'a.safetensors', bytes: 10 }, READ),
  ).toMatchObject({ format: 'unknown' })
})

test('a header with very many keys is read in a thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-heads-'))
  const { readInThread, stop } = createReadInThread()
  onTestFinished(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  const path = join(folder, 'file')
  const metadata = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, 'x']))
  const json = JSON.stringify({ __metadata__: metadata })
  const bytes = withHead(json, 0)
  writeFileSync(path, bytes)
  const reading = cpuOf(() => factsOfHead(json, 0))
  const found = { path, name: 'a.safetensors', bytes: bytes.length }
  await expectShortHold(reading / 2, () => inspectModel(found, createReadHead({ readInThread })))
  expect(await inspectModel(found, createReadHead({ readInThread }))).toEqual(factsOfHead(json, 0))
})
