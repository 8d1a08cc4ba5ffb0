import { expect, test } from 'vitest'
import { DOWNLOAD_STATES } from '../../../../src-main/contract/models.ts'
import {
  DOWNLOAD_TRANSITIONS,
  type DownloadEvent,
  mayHappen,
  pauseBefore,
} from '../../../../src-main/features/models/rules/download-transitions.ts'
import {
  folderProblem,
  foldersOf,
  modelAtAddress,
  modelNameProblem,
  modelPathsYaml,
  shownAddress,
} from '../../../../src-main/features/models/rules/layout.ts'
import { readDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { modelNamesIn, offeredModels } from '../../../../src-main/features/workflows/rules/runs/graph-models.ts'
import { objectOf } from '../../../support/workflow-files.ts'

test.each([
  '../a.safetensors',
  'a/../../b.safetensors',
  '/etc/a.safetensors',
  'C:/a.safetensors',
  'C:a.safetensors',
  'a\\b.safetensors',
  'a//b.safetensors',
  './a.safetensors',
  '.hidden.safetensors',
  'a/.ssh/b.safetensors',
  'a\n.safetensors',
  'a\u0000.safetensors',
  'a:stream.safetensors',
  'con?.safetensors',
  'folder./a.safetensors',
  `${'é'.repeat(120)}.safetensors`,
  'a/b/c/d/e/f/g/h/i.safetensors',
  'run.py',
  'authorized_keys',
  '',
])('%j is no name of a model', (name) => {
  expect(modelNameProblem(name)).toEqual(expect.any(String))
})

test.each(['a.safetensors', 'SDXL/base 1.0.safetensors', 'ünïcode_模型.gguf', 'x.pt'])(
  '%j is a name of a model',
  (name) => {
    expect(modelNameProblem(name)).toBe(undefined)
  },
)

test('an address tells the name, and the directory where it names one', () => {
  expect(modelAtAddress('https://x.test/o/r/resolve/main/split_files/unet/a%20b.safetensors?download=true')).toEqual({
    name: 'a b.safetensors',
    directory: 'diffusion_models',
  })
  expect(modelAtAddress('https://x.test/api/download/models/12')).toEqual({ name: undefined, directory: undefined })
  expect(modelAtAddress('https://x.test/loras/..%2f..%2fa.safetensors')).toEqual({
    name: undefined,
    directory: 'loras',
  })
})

test('an address is shown without what may be a key', () => {
  expect(shownAddress('https://x.test/a.gguf?token=secret&v=1&flag#part')).toBe(
    'https://x.test/a.gguf?token=…&v=…&flag',
  )
})

test('folders are laid out as ComfyUI has them, or as the settings say', () => {
  expect(foldersOf({ path: '/m' }, 'unet')).toEqual(['diffusion_models', 'unet'])
  const mapped = { path: '/m', directories: { checkpoints: ['models/Stable-diffusion'], clip: ['a', 'b'] } }
  expect(foldersOf(mapped, 'checkpoints')).toEqual(['models/Stable-diffusion'])
  expect(foldersOf(mapped, 'text_encoders')).toEqual(['a', 'b'])
  expect(foldersOf(mapped, 'loras')).toEqual([])
  expect(folderProblem(mapped)).toBe(undefined)
  expect(folderProblem({ path: 'm' })).toMatch('must be an absolute folder')
  expect(folderProblem({ path: '/m', directories: { loras: ['../x'] } })).toMatch('must not hold empty parts')
  expect(folderProblem({ path: '/m', directories: { loras: ['/x'] } })).toMatch('not an absolute one')
})

test('a ComfyUI is told of folders as its own file would', () => {
  const folder = { path: '/home/a "b"', directories: { checkpoints: ['one', 'two'] } }
  const text = modelPathsYaml([{ folder, seenAt: '/models/1', directories: [] }], { withVolume: false })
  expect(text.split('\n').slice(1, -1)).toEqual([
    'drydock_1:',
    '  base_path: "/models/1"',
    '  "checkpoints": "one\\ntwo"',
  ])
  expect(modelPathsYaml([], { withVolume: true })).toMatch('base_path: "/runpod-volume"')
})

const model = (more: object) => ({
  name: 'a.safetensors',
  url: 'https://x.test/a.safetensors',
  directory: 'vae',
  ...more,
})
const documentWith = (models: readonly unknown[], more: object = {}) =>
  readDocument(
    objectOf(JSON.stringify({ nodes: [{ id: 1, type: 'VAELoader', properties: { models } }], links: [], ...more })),
  )

test('a document offers the models that its nodes name, those of subgraphs too', () => {
  const hash = 'A'.repeat(64)
  const inner = {
    id: 's',
    nodes: [{ id: 2, type: 'L', properties: { models: [model({ name: 'sub\\b.gguf', directory: 'unet' })] } }],
    links: [],
  }
  const document = documentWith([model({ hash, hash_type: 'SHA256' })], {
    definitions: { subgraphs: [inner] },
    models: [model({ name: 'c.pth', hash: 'x', hash_type: 'MD5' })],
  })
  expect([...offeredModels(document).values()]).toEqual([
    { name: 'a.safetensors', url: 'https://x.test/a.safetensors', directory: 'vae', sha256: 'a'.repeat(64) },
    { name: 'sub/b.gguf', url: 'https://x.test/a.safetensors', directory: 'diffusion_models', sha256: undefined },
    { name: 'c.pth', url: 'https://x.test/a.safetensors', directory: 'vae', sha256: undefined },
  ])
})

test.each([
  { name: '../a.safetensors' },
  { directory: '../custom_nodes' },
  { directory: '/etc' },
  { name: 'a.py' },
  { url: 'file:///etc/passwd' },
  { url: 'https://user:password@x.test/a.safetensors' },
  { url: 'javascript:alert(1)' },
  { url: 7 },
])('what a document offers as %o is left out', (more) => {
  expect(offeredModels(documentWith([model(more), null, 'x']))).toEqual(new Map())
})

test('names of models in a graph are found, and what a node only offers is none', () => {
  const graph = {
    nodes: [
      { widgets_values: ['sub\\a.safetensors', 1, null], properties: { models: [model({ name: 'offered.ckpt' })] } },
    ],
    text: 'a prompt about x.pt\nand more.pt',
    address: 'https://x.test/b.gguf',
  }
  expect(modelNamesIn(graph)).toEqual(['sub/a.safetensors'])
})

const EVENTS = Object.keys(DOWNLOAD_TRANSITIONS) as DownloadEvent[]
const LEGAL = [
  'waiting start',
  'running pause',
  'running finish',
  'waiting fail',
  'running fail',
  'waiting cancel',
  'running cancel',
  'failed retry',
  'cancelled retry',
]

test('a download moves as the table says, and in no other way', () => {
  for (const state of DOWNLOAD_STATES)
    for (const event of EVENTS)
      expect([state, event, mayHappen(event, state)]).toEqual([state, event, LEGAL.includes(`${state} ${event}`)])
})

test('pauses between tries grow, up to a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 50].map(pauseBefore)).toEqual([1000, 2000, 5000, 10_000, 30_000, 60_000, 60_000])
})
