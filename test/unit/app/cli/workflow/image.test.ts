import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeLock } from '../../../../../src-main/features/worker-images/rules/lock-file.ts'
import { COMMIT, lockOf } from '../../../features/worker-images/support.ts'
import { setupCli } from '../support.ts'

const MODELS = [
  { folder: 'loras', name: 'ink.safetensors', source: 'https://models.example/ink' },
  { folder: 'loras', name: 'pen.safetensors', source: 'https://models.example/pen', sizeBytes: 2048 },
]

async function setup(models: readonly object[] = []) {
  const { folder, run } = await setupCli({})
  const nodes = [{ name: 'ink', source: { repository: 'https://code.example/ink', commit: COMMIT } }]
  const python = [{ name: 'six', version: '1.0', wantedBy: ['ink'] }]
  writeFileSync(join(folder, 'cat.lock.yaml'), writeLock(lockOf({ nodes, python, models })))
  mkdirSync(join(folder, 'models'))
  return { folder, run, image: (...argv: readonly string[]) => run(['workflow', 'image', 'cat.lock.yaml', ...argv]) }
}

test('a Dockerfile is shown without a name, and a build asks for one', async () => {
  const { image } = await setup()
  const { exitCode, stdout } = await image('--dry-run')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('FROM python:3.12')
  expect(await image()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--tag NAME') })
})

test('programs of node packages see no passwords of the package index', async () => {
  const { image } = await setup()
  const layers = (await image('--dry-run')).stdout.split('\n\n')
  expect(layers.find((text) => text.includes('requirements.txt'))).toContain('id=pip.conf,')
  const nodes = layers.find((text) => text.includes('install.py'))
  expect(nodes).toContain('id=pip-open.conf,')
  expect(nodes).not.toContain('id=pip.conf,')
})

test('a models folder that is not there is named', async () => {
  const { image, run } = await setup()
  const why = { exitCode: 2, stderr: expect.stringContaining('--models none: there is no such folder.') }
  expect(await image('--dry-run', '--models', 'none')).toMatchObject(why)
  expect(await run(['workflow', 'lock', 'cat.lock.yaml', '--update', 'ink', '--models', 'none'])).toMatchObject(why)
})

test('unknown sizes are not counted as nothing', async () => {
  expect((await (await setup(MODELS.slice(0, 1))).image('--dry-run')).stderr).toContain('on a volume: size unknown')
  expect((await (await setup(MODELS)).image('--dry-run', '--bake', 'all')).stderr).toContain('image: 2.0 KiB and more')
})

test('the image of a workflow is tested by its name, once it is locked', async () => {
  const { folder, run } = await setup()
  writeFileSync(join(folder, 'dog.json'), '{}')
  const { exitCode, stderr } = await run(['test', 'dog.json', '--image', 'dog:1'])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('dog.json has no lock yet. Make one: drydock workflow lock dog.json')
})
