/** `drydock workflow image`, as a user types it. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src-main/app/cli/run-cli.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { surroundingsOf, temporaryFolder } from '../unit/app/cli/support.ts'
import { commitFiles, makeLock, sha256Of } from './support-lock.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const GRAPH = '{"1": {"class_type": "Clouds", "inputs": {}}}'
const MODELS = [
  { folder: 'checkpoints', name: 'large.safetensors', sizeBytes: 4 * 1024 ** 3 },
  { folder: 'loras', name: 'small.safetensors', sizeBytes: 7, sha256: sha256Of('weights') },
]

/** A folder with cat.json and its lock, and the model that is small. */
function setup(change: Readonly<Record<string, unknown>> = {}) {
  const folder = temporaryFolder()
  const dockerHost = 'why' in engine ? '' : engine.dockerHost
  const docker = new Docker({ socketPath: dockerHost.replace('unix://', '') })
  const tag = `drydock-test-image-${randomUUID()}:1`
  onTestFinished(async () => {
    await docker
      .getImage(tag)
      .remove({ force: true })
      .catch(() => undefined) // it was not built
  })
  const lock = makeLock(folder, { models: MODELS, workflow: { file: 'cat.json', sha256: sha256Of(GRAPH) }, ...change })
  mkdirSync(join(folder, 'models/loras'), { recursive: true })
  writeFileSync(join(folder, 'models/loras/small.safetensors'), 'weights')
  writeFileSync(join(folder, 'cat.json'), GRAPH)
  writeFileSync(join(folder, 'cat.lock.yaml'), JSON.stringify(lock))
  const start = (...argv: readonly string[]) => {
    const env = { PATH: process.env.PATH ?? '', DOCKER_HOST: dockerHost }
    const { surroundings, written, signal } = surroundingsOf(folder, { env })
    const ended = runCli(['workflow', 'image', 'cat.json', '--tag', tag, '--models', 'models', ...argv], surroundings)
    return { ended, written, signal }
  }
  return {
    docker,
    folder,
    tag,
    start,
    async run(...argv: readonly string[]) {
      const { ended, written } = start(...argv)
      return { exitCode: await ended, ...written }
    },
  }
}

test('builds the image of a workflow, says the sizes of its models before and which layers are new after', async () => {
  const { run, tag, docker } = setup()
  const { exitCode, stdout, stderr } = await run('--no-cache')
  expect(stderr).toMatch(
    /^Models in the image: 7 B\n {2}loras\/small.safetensors {2}7 B\nModels on a volume: 4.0 GiB\n {2}checkpoints\/large.safetensors {2}4.0 GiB\nstep 1 of /,
  )
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^Built drydock-test-image-\S+ in .* s: \d+ of 7 layers new, /)
  expect(stdout).toMatch(/model loras\/small.safetensors, 7 B +(new|CACHED)/)
  expect(stdout).toContain((await docker.getImage(tag).inspect()).Id)

  const again = await run('--json')
  const document = JSON.parse(again.stdout)
  expect(again.stderr).toBe('')
  expect(new Set(document.steps.map(({ state }: { state: string }) => state))).toEqual(new Set(['cached']))
  expect(stdout).toContain(document.imageId)
})

test('prints the Dockerfile, or writes it with everything it needs, and builds nothing', async () => {
  const { run, folder, tag, docker } = setup()
  const printed = await run('--dry-run', '--bake', 'none')
  expect(printed.stdout).toMatch(/^# Worker image of cat\.json\..*\nFROM python:3\.11-slim-bookworm\n/)
  expect(printed.stderr).toContain('Models on a volume: 4.0 GiB')
  expect(printed.stdout).not.toContain('small.safetensors')

  const written = await run('--write', 'context')
  expect(written.stdout).toBe(`Wrote context. Build it with: docker build --tag ${tag} context\n`)
  expect(readFileSync(join(folder, 'context/sources/nodes/clouds/install.py'), 'utf8')).toContain('installed.txt')
  expect(readFileSync(join(folder, 'context/models/loras%2Fsmall.safetensors'), 'utf8')).toBe('weights')
  expect(readFileSync(join(folder, 'context/Dockerfile'), 'utf8')).toContain('# Custom nodes clouds')
  expect(await docker.listImages({ filters: { reference: [tag] } })).toEqual([])

  const full = await run('--write', 'models')
  expect(full.stderr).toContain('cannot be written: the folder is not empty.')
  expect(readdirSync(join(folder, 'models'))).toEqual(['loras'])
})

test('a failed layer is one sentence and its last lines', async () => {
  const python = [{ name: 'six', version: '0.0.999', wantedBy: ['clouds'] }]
  const { run } = setup({ python })
  const { exitCode, stderr } = await run()
  expect(exitCode).toBe(1)
  const lines = stderr.trimEnd().split('\n')
  expect(lines.at(-2)).toBe('  ERROR: No matching distribution found for six==0.0.999')
  expect(lines.at(-1)).toMatch(
    /: The image was not built: Step 3 of \d \(1 Python package\) failed with exit code 1\. Python package: six, which clouds asked for\.$/,
  )
})

test('wrong use is refused before anything is built', async () => {
  const { run } = setup()
  expect(await run('--bake', 'lrage')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no such model') })
  expect(await run('--tag', '-x')).toMatchObject({ exitCode: 2 })
  const other = await run('--bake', 'all')
  expect(other.stderr).toContain('checkpoints/large.safetensors has no address and is in no model folder')
})

test('Ctrl+C ends the build at the engine', async () => {
  const files = { 'install.py': 'import time\nprint("install.py runs", flush=True)\ntime.sleep(3600)\n' }
  const { start, docker, tag, folder } = setup()
  const commit = commitFiles(join(folder, 'clouds'), files)
  const text = readFileSync(join(folder, 'cat.lock.yaml'), 'utf8')
  const lock = JSON.parse(text)
  lock.nodes[0].source.commit = commit
  // Another test may build the same commit at that time, so that the step takes no time here.
  lock.comfyui.commit = commitFiles(join(folder, 'comfyui'), { 'own.py': `# ${randomUUID()}\n` })
  writeFileSync(join(folder, 'cat.lock.yaml'), JSON.stringify(lock))
  const { ended, signal, written } = start('--no-cache')
  await expect.poll(() => written.stderr).toContain('custom nodes clouds')
  signal('SIGINT')
  expect(await ended).toBe(1)
  expect(written.stderr).toContain('The build was stopped by SIGINT. No image was made.')
  expect(await docker.listImages({ filters: { reference: [tag] } })).toEqual([])
  expect(existsSync(join(folder, '.cache/drydock/image-build-times.json'))).toBe(true)
})
