import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOW, setupCli } from './support.ts'

const MODEL = {
  folder: '/m',
  directory: 'loras',
  name: 'ink.safetensors',
  format: 'safetensors',
  kind: 'lora',
  architecture: 'SDXL',
  bytes: 2048,
  changedAt: NOW,
  isOutside: false,
}
const FOLDER = {
  path: '/m',
  isDefault: true,
  files: 1,
  bytes: 2048,
  freeBytes: 2 ** 30,
  mountedAt: '/opt/drydock/models/1',
}
const FOLDERS = { folders: [FOLDER], configFile: '/data/extra_model_paths.yaml' }
const DOWNLOAD = {
  id: 'd1',
  url: 'https://x.test/a.pth',
  folder: '/m',
  directory: 'vae',
  name: 'a.pth',
  state: 'waiting',
  receivedBytes: 0,
  createdAt: NOW,
}

const setup = () =>
  setupCli({
    'GET /api/models': { models: [MODEL, { ...MODEL, folder: '/n' }], more: false, revision: 1 },
    'GET /api/models/uses': {
      uses: {
        'ink.safetensors': [
          { kind: 'run', id: 'r', title: 'R', at: NOW },
          { kind: 'workflow', id: 'w', title: 'Cat', at: NOW },
        ],
      },
    },
    'POST /api/models/remove': { ok: true },
    'GET /api/models/folders': FOLDERS,
    'POST /api/models/folders': FOLDERS,
    'GET /api/models/downloads': { revision: 1, downloads: [DOWNLOAD] },
    'POST /api/models/downloads': DOWNLOAD,
    'POST /api/models/credentials': { host: 'x.test', updatedAt: NOW },
  })

test('models are a table for people, and the answer for scripts', async () => {
  const { run } = await setup()
  const line = 'loras      ink.safetensors  2.0 KiB  2 uses   lora, SDXL\n'
  expect((await run(['models', '--uses'])).stdout).toBe(
    `DIRECTORY  NAME             SIZE     USED BY  KIND\n${line}${line}`,
  )
  expect((await run(['models', 'list', '--directory', 'vae', '--json'])).json()).toEqual({
    models: [],
    more: false,
    revision: 1,
  })
})

test('a model that several folders have is deleted only where one is named, and after a yes', async () => {
  const { run, service } = await setup()
  expect(await run(['models', 'remove', 'loras/ink.safetensors', '--yes'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/name one with --folder \(\/m, \/n\)/),
  })
  expect(await run(['models', 'remove', 'loras/none.safetensors', '--yes'])).toMatchObject({ exitCode: 6 })
  expect(await run(['models', 'remove', 'loras/ink.safetensors', '--folder', '/n'])).toMatchObject({ exitCode: 5 })
  const person = { yes: false }
  expect((await run(['models', 'remove', 'loras/ink.safetensors', '--folder', '/n'], { person })).asked).toEqual([
    'This breaks: workflow Cat, running 1 run again. Delete the model loras/ink.safetensors with 2.0 KiB?',
  ])
  expect(await run(['models', 'remove', 'loras/ink.safetensors', '--folder', '/n', '--yes'])).toMatchObject({
    exitCode: 0,
    stderr: 'The following no longer works: workflow Cat, running 1 run again.\n',
  })
  expect(service.seen.at(-1)).toMatchObject({ body: { folder: '/n', directory: 'loras', name: 'ink.safetensors' } })
})

test('a download sends what its options say, and does not wait when told so', async () => {
  const { run, service } = await setup()
  const options = ['--directory', 'vae', '--name', 'a.pth', '--sha256', 'f'.repeat(64), '--detach', '--json']
  expect((await run(['models', 'download', 'https://x.test/a', ...options])).json()).toEqual(DOWNLOAD)
  expect(service.seen).toMatchObject([
    { body: { url: 'https://x.test/a', directory: 'vae', name: 'a.pth', sha256: 'f'.repeat(64) } },
  ])
})

test('a folder is added to those that are there, mapped and first where it is said', async () => {
  const { run, service, folder } = await setup()
  await run([
    'models',
    'folders',
    'add',
    'webui',
    '--first',
    '--map',
    'loras=models/Lora',
    '--map',
    'loras=models/LyCORIS',
  ])
  const added = { path: join(folder, 'webui'), directories: { loras: ['models/Lora', 'models/LyCORIS'] } }
  expect(service.seen.at(-1)).toMatchObject({ body: { folders: [added, { path: '/m' }] } })
  expect(await run(['models', 'folders', 'add', 'webui', '--map', 'loras'])).toMatchObject({ exitCode: 2 })
  await run(['models', 'folders', 'remove', '/m'])
  expect(service.seen.at(-1)).toMatchObject({ body: { folders: [] } })
  expect(await run(['models', 'folders', 'remove', '/none'])).toMatchObject({ exitCode: 2 })
})

test('the folders of an extra_model_paths.yaml are added as ComfyUI reads it', async () => {
  const { run, service, folder } = await setup()
  const text = `
# a comment
comfyui:
    base_path: ~/comfy/
    checkpoints: models/checkpoints/
    text_encoders: |
        models/text_encoders/
        models/clip/
    custom_nodes: custom_nodes
again: {base_path: ~/comfy, checkpoints: models/more}
other:
    base_path: $SHARE/\${DISK}
    is_default: yes
    loras: ../loras
    vae: /elsewhere/vae
relative:
    embeddings: near/embeddings
empty:
`
  writeFileSync(join(folder, 'paths.yaml'), text)
  const from = ['models', 'folders', 'add', '--from-file', 'paths.yaml']
  const env = { SHARE: '/share', DISK: 'd' }
  expect(await run([...from, '--first'], { env })).toMatchObject({ exitCode: 0 })
  expect(service.seen.at(-1)?.body).toEqual({
    folders: [
      { path: '/share', directories: { loras: ['loras'] } },
      { path: '/elsewhere', directories: { vae: ['vae'] } },
      {
        path: join(folder, 'comfy'),
        directories: {
          checkpoints: ['models/checkpoints', 'models/more'],
          text_encoders: ['models/text_encoders', 'models/clip'],
        },
      },
      { path: folder, directories: { embeddings: ['near/embeddings'] } },
      { path: '/m' },
    ],
  })
  // Those that are there already are not there twice.
  writeFileSync(join(folder, 'paths.yaml'), 'one: {base_path: /m, loras: lora}')
  await run(from)
  expect(service.seen.at(-1)?.body).toEqual({ folders: [{ path: '/m', directories: { loras: ['lora'] } }] })
})

test.each([
  ['no YAML', 'a: [1', /paths\.yaml is not valid YAML: .* at line 1/],
  ['a list', '- a', /is not an extra_model_paths\.yaml: sections have lines like/],
  ['a kind without a path', 'comfyui: {loras: [a, b]}', /is not an extra_model_paths\.yaml at comfyui\.loras:/],
  ['comments alone', '# comfyui:', /names no model folder/],
])('a file of paths that is %s is refused, and nothing is asked', async (_what, text, why) => {
  const { run, service, folder } = await setup()
  writeFileSync(join(folder, 'paths.yaml'), text)
  expect(await run(['models', 'folders', 'add', '--from-file', 'paths.yaml'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(why),
  })
  expect(service.seen).toEqual([])
})

test('a folder or a file of paths is needed, not both', async () => {
  const { run, service } = await setup()
  for (const [more, why] of [
    [[], /Give a folder, or a file with --from-file/],
    [['m', '--from-file', 'paths.yaml'], /Give a folder, or a file with --from-file/],
    [['--from-file', 'paths.yaml', '--map', 'loras=l'], /--map needs a folder/],
    [['--from-file', 'none.yaml'], /none\.yaml cannot be read \(ENOENT\)/],
  ] as const)
    expect(await run(['models', 'folders', 'add', ...more])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(why),
    })
  expect(service.seen).toEqual([])
})

test('a token is read from standard input and never printed', async () => {
  const { run, service } = await setup()
  expect(await run(['models', 'credentials', 'add', 'x.test'], { stdin: 'hf_1\n' })).toMatchObject({
    exitCode: 0,
    stdout: 'credentials for x.test stored\n',
    stderr: '',
  })
  expect(service.seen).toMatchObject([{ body: { host: 'x.test', token: 'hf_1' } }])
  await run(['models', 'credentials', 'add', 'x.test', '--username', 'ada'], { stdin: 'p' })
  expect(service.seen.at(-1)).toMatchObject({ body: { host: 'x.test', username: 'ada', password: 'p' } })
})

test('folders without a model say how to get one, and a directory without one says which have some', async () => {
  const empty = { ...FOLDERS, folders: [{ ...FOLDER, files: 0, bytes: 0 }] }
  const none = await setupCli({ 'GET /api/models/folders': empty })
  const { stdout } = await none.run(['models', 'folders'])
  expect(stdout).toContain('There are no models in these folders yet.')
  expect(stdout).toContain('drydock models download ADDRESS --directory checkpoints')
  expect(stdout).toContain('drydock models folders add ~/ComfyUI/models --first')
  const { run } = await setup()
  expect((await run(['models', 'folders'])).stdout).not.toContain('no models')
  expect((await run(['models', 'list', '--directory', 'vae'])).stdout).toBe(
    'There are no models in vae. Directories with models: loras.\n',
  )
})
