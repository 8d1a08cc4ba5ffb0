import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { typesIn } from '../../../../src-main/features/workflows/rules/classes-file.ts'
import { readDocument, writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { describeDocument, readGraphText, toRun } from '../../../../src-main/features/workflows/tools/graph.ts'
import { editDocument, type GraphEdit } from '../../../../src-main/features/workflows/tools/graph-edits.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'

const types = typesIn(readFileSync(new URL('../../../../resources/node-types.json', import.meta.url), 'utf8'))
const EMPTY = readDocument(new Map([['nodes', []]]))

const edit = (...edits: GraphEdit[]) => editDocument(EMPTY, edits, types)
const linesOf = (document: typeof EMPTY) => describeDocument(readGraphText(writeJson(writeDocument(document))), types)

/** A whole graph, as an agent makes it from nothing. */
const PICTURE: readonly GraphEdit[] = [
  { do: 'add', class: 'CheckpointLoaderSimple', as: 'model', values: { ckpt_name: 'm.safetensors' } },
  { do: 'add', class: 'CLIPTextEncode', as: 'prompt', values: { text: 'a cat' } },
  { do: 'add', class: 'EmptyLatentImage', as: 'empty' },
  { do: 'add', class: 'KSampler', as: 'sampler', values: { seed: '18446744073709551615', steps: 4 } },
  { do: 'add', class: 'VAEDecode', as: 'decode' },
  { do: 'add', class: 'SaveImage', as: 'save' },
  { do: 'connect', from: 'model', output: 'CLIP', to: 'prompt', input: 'clip' },
  { do: 'connect', from: 'model', output: 'MODEL', to: 'sampler', input: 'model' },
  { do: 'connect', from: 'prompt', output: 0, to: 'sampler', input: 'positive' },
  { do: 'connect', from: 'prompt', output: 0, to: 'sampler', input: 'negative' },
  { do: 'connect', from: 'empty', output: 'LATENT', to: 'sampler', input: 'latent_image' },
  { do: 'connect', from: 'sampler', output: 'LATENT', to: 'decode', input: 'samples' },
  { do: 'connect', from: 'model', output: 'VAE', to: 'decode', input: 'vae' },
  { do: 'connect', from: 'decode', output: 'IMAGE', to: 'save', input: 'images' },
]

test('a graph that an agent makes from nothing can be run as it is, its seed to the last digit', () => {
  const { document, added } = edit(...PICTURE)
  const { payload, problems } = toRun(readGraphText(writeJson(writeDocument(document))), types, 0)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(writeJson(payload)).toContain('"seed":18446744073709551615')
  expect(Object.keys(added)).toEqual(['model', 'prompt', 'empty', 'sampler', 'decode', 'save'])
})

test('nodes are shown with their values and where their inputs come from', () => {
  const { document } = edit(...PICTURE)
  expect(linesOf(document)[1]).toBe(
    '2 CLIPTextEncode "CLIP Text Encode (Prompt)"; text="a cat"; clip←1.1; gives 0 CONDITIONING',
  )
})

test('titles, modes, places, notes, links and nodes are changed and removed', () => {
  const { document } = edit(
    ...PICTURE,
    { do: 'title', node: 'save', title: 'Result' },
    { do: 'mode', node: 'save', mode: 'mute' },
    { do: 'move', node: 'save', position: [5, 6] },
    { do: 'note', text: 'look' },
    { do: 'disconnect', node: 'decode', input: 'vae' },
    { do: 'remove', node: 'prompt' },
  )
  const lines = linesOf(document)
  expect(lines.find((line) => line.startsWith('6 '))).toMatch(/^6 SaveImage "Result" \(mute\)/)
  expect(lines.find((line) => line.startsWith('5 '))).toContain('vae←nothing')
  expect(lines.some((line) => line.startsWith('2 '))).toBe(false)
  expect(lines.some((line) => line.includes('Note'))).toBe(true)
})

test.each<[string, GraphEdit, RegExp]>([
  ['a class', { do: 'add', class: 'KSamplr' }, /^Edit 15 \(add\): there is no class KSamplr\./],
  ['a node', { do: 'title', node: '99', title: 'x' }, /there is no node 99\. The graph has 1, 2, 3, 4, 5, 6\./],
  ['a widget', { do: 'set', node: 'sampler', input: 'sed', value: 1 }, /has no widget sed; it has seed,/],
  ['a value', { do: 'set', node: 'sampler', input: 'steps', value: 'many' }, /\.steps takes a whole number\./],
  [
    'an output',
    { do: 'connect', from: 'model', output: 'X', to: 'save', input: 'images' },
    /has no output X; it has MODEL/,
  ],
  ['a link', { do: 'connect', from: 'model', output: 'VAE', to: 'save', input: 'images' }, /needs IMAGE, but VAE/],
])('an edit with %s that cannot be says why, and nothing is changed', (_what, wrong, why) => {
  expect(() => edit(...PICTURE, wrong)).toThrow(why)
  expect(() => edit(...PICTURE, wrong)).toThrow('Nothing was changed.')
})
