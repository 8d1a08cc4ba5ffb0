/** From a graph to a deployed worker image on the command line: conflict, lock, build, test, deploy, change, rollback. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import Docker from 'dockerode'
import { beforeEach, expect, test } from 'vitest'
import { startCommand } from '../e2e/support-cli.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { sharedInFile } from '../support/shared-in-file.ts'
import { commitFiles, git } from '../unit/features/worker-images/git-folders.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures')
const CARDS = 'comfyui-prompt-cards'
const FRAMES = 'comfyui-tinted-frames'

const TEAL = [0, 128, 128]
const ITS_COMPLEMENT = [255, 127, 127]

/** A service, and repositories of ComfyUI and of two packages of custom nodes, each with the tag v1. */
const project = sharedInFile(async (whenOver) => {
  const id = randomUUID().slice(0, 8)
  const dockerHost = 'why' in engine ? '' : engine.dockerHost
  const docker = new Docker({ socketPath: dockerHost.replace('unix://', '') })
  whenOver(async () => {
    const images = await docker.listImages()
    const own = images.filter(({ RepoTags = [] }) => RepoTags.some((tag) => tag.split(':')[0]?.endsWith(id)))
    for (const { Id } of own) await docker.getImage(Id).remove({ force: true })
  })
  const service = await startedContainerService(engine, {}, whenOver)
  const folder = join(service.folder, 'project')
  const at = (...parts: readonly string[]) => join(folder, ...parts)
  cpSync(join(FIXTURES, 'stand-in-comfyui'), at('comfyui'), { recursive: true })
  for (const name of [CARDS, FRAMES]) cpSync(join(FIXTURES, 'stand-in-nodes', name), at(name), { recursive: true })
  for (const name of ['comfyui', CARDS, FRAMES]) commitFiles(at(name), {}, 'v1')
  mkdirSync(at('models/checkpoints'), { recursive: true })
  for (const name of ['cat', 'stand-in'])
    writeFileSync(at('models/checkpoints', `${name}.safetensors`), `weights of ${name}`)

  const env = { DOCKER_HOST: dockerHost, XDG_CACHE_HOME: join(service.folder, 'cache') }
  const drydock = (...argv: readonly string[]) => startCommand(argv, { cwd: folder, env }).ended
  const onService = (...argv: readonly string[]) => drydock(...argv, '--data', service.data)
  const succeeds = async (ended: ReturnType<typeof drydock>) => {
    const { exitCode, stdout, stderr } = await ended
    expect(exitCode, stderr).toBe(0)
    return { stdout, stderr }
  }
  return {
    service,
    at,
    drydock,
    onService,
    succeeds,
    lock: (graph: string, ...more: readonly string[]) =>
      drydock(
        ...['workflow', 'lock', graph, '--local', '--comfyui', './comfyui@v1', '--models', './models'],
        ...['--base', 'python:3.11-slim-bookworm', '--python', '3.11', ...more],
      ),
    /** Builds an image, and gives its id and the state of each layer. */
    async build(graph: string) {
      const tag = `drydock-test-journey-${id}:${graph.replace('.json', '')}`
      const built = await succeeds(drydock('workflow', 'image', graph, '--tag', tag, '--models', './models'))
      expect(built.stdout).toMatch(/^Built \S+ in .*s: \d of \d layers new, /)
      const layers = [...built.stdout.matchAll(/^\d (.+?) +(CACHED|new)\b/gm)]
      const imageId = built.stdout.trimEnd().split('\n').at(-1)
      return { tag, imageId, layers: layers.map(([, title = '', state = '']) => [title, state] as const) }
    },
    appOf: (graph: string) => `${graph.replace('.json', '')}-${id}`,
    async draw(app: string, input: object) {
      const { stdout } = await succeeds(onService('runsync', app, JSON.stringify(input), '--json'))
      const { output } = JSON.parse(stdout)
      expect(output.images).toEqual([expect.objectContaining({ mediaType: 'image/png', type: 'base64' })])
      return cornerOf(Buffer.from(output.images[0].data, 'base64'))
    },
  }
})

test('a graph with custom nodes becomes an image that is tested, deployed, changed in one layer, and rolled back', async () => {
  const { at, build, draw, drydock, lock, onService, appOf, succeeds } = await project()
  const app = appOf('cat.json')
  copyFileSync(join(FIXTURES, 'stand-in-nodes/cat.json'), at('cat.json'))
  const early = await drydock('workflow', 'image', 'cat.json', '--tag', 'cat:1')
  expect(early.exitCode).toBe(1)
  expect(early.stderr).toMatch(/cat\.json has no lock yet\. Make one: .* workflow lock cat\.json/)

  git(at(CARDS), 'switch', '--quiet', '--create', 'clash')
  appendFileSync(at(CARDS, 'requirements.txt'), 'webcolors<1.12\n')
  commitFiles(at(CARDS), {})
  const frames = ['--nodes', `${FRAMES}=./${FRAMES}@v1`]
  const clash = await lock('cat.json', ...frames, '--nodes', `${CARDS}=./${CARDS}@clash`)
  expect(clash.exitCode).toBe(1)
  expect(clash.stderr).toContain(
    `conflict python_versions: ${CARDS} asks for webcolors<1.12; ${FRAMES} asks for webcolors>=1.13. No version of webcolors satisfies all of them.\n`,
  )
  expect(clash.stderr).toContain('nothing was written: 1 conflict to solve')

  const locked = await succeeds(lock('cat.json', ...frames, '--nodes', `${CARDS}=./${CARDS}@v1`))
  expect(locked.stdout).toMatch(/2 packages, 3 Python packages, 1 model/)
  const first = await build('cat.json')
  expect(first.layers).toHaveLength(8)
  const again = await build('cat.json')
  expect(again.imageId).toBe(first.imageId)
  expect(again.layers).toEqual(first.layers.map(([title]) => [title, 'CACHED']))

  const tested = await succeeds(onService('test', 'cat.lock.yaml', '--image', first.tag, '--full', '--no-gpu'))
  expect(tested.stdout.match(/^\w+ {2}[a-z ]+/gm)?.map((step) => step.trim())).toEqual([
    'passed  starts',
    'passed  loads all node classes',
    'passed  validates the graph',
    'passed  runs the graph',
  ])

  const deploy = () =>
    succeeds(
      onService(
        ...['workflow', 'deploy', 'cat.lock.yaml', '--name', app, '--models', './models'],
        ...['--expose', '8.color=color', '--yes'],
      ),
    )
  const deployed = await deploy()
  expect(deployed.stdout).toContain(`Release 1 of ${app}/production is active.`)
  expect(deployed.stderr).not.toContain('warning')
  expect(await draw(app, {})).toEqual(TEAL)
  expect(await draw(app, { color: 'red' })).toEqual([255, 0, 0])

  const code = readFileSync(at(FRAMES, 'frames.py'), 'utf8').replace(
    /^( +tint = ).*$/m,
    '$1bytes(255 - one for one in webcolors.name_to_rgb(color)[:3])',
  )
  commitFiles(at(FRAMES), { 'frames.py': `${code}# ${randomUUID()}\n` }, 'v2')
  await succeeds(drydock('workflow', 'lock', 'cat.lock.yaml', '--update', `${FRAMES}=v2`))
  const changed = await build('cat.json')
  const from = first.layers.findIndex(([title]) => title.startsWith(`custom nodes ${FRAMES}`))
  expect(changed.layers.map(([, state]) => state)).toEqual(
    first.layers.map((_, layer) => (layer < from ? 'CACHED' : 'new')),
  )
  const second = await deploy()
  expect(second.stdout).toMatch(new RegExp(`~ nodes ${FRAMES} {2}\\w+ -> \\w+`))
  expect(await draw(app, {})).toEqual(ITS_COMPLEMENT)

  const back = await succeeds(onService('rollback', '--app', app, '--yes'))
  expect(back.stdout).toMatch(/Release 3 of \S+ is active.* code of release 1/)
  expect(await draw(app, {})).toEqual(TEAL)
})

test('the template text-to-picture becomes an image that is tested, deployed and called', async () => {
  const { at, build, draw, lock, onService, appOf, succeeds } = await project()
  const app = appOf('text-to-picture.json')
  copyFileSync(join(ROOT, 'resources/workflows/text-to-picture.json'), at('text-to-picture.json'))
  await succeeds(lock('text-to-picture.json'))
  const { tag } = await build('text-to-picture.json')
  const tested = await succeeds(onService('test', 'text-to-picture.lock.yaml', '--image', tag, '--full', '--no-gpu'))
  expect(tested.stdout).toMatch(/^passed {2}runs the graph \(.*\): 1 result$/m)
  const deployed = await succeeds(
    onService('workflow', 'deploy', 'text-to-picture.json', '--name', app, '--models', './models', '--yes'),
  )
  expect(deployed.stderr).not.toContain('warning')
  expect(await draw(app, {})).toHaveLength(3)
})

/** Red, green and blue of the first pixel, which no filter of PNG changes. */
function cornerOf(png: Buffer): readonly number[] {
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + size))
    at += size + 12
  }
  return [...inflateSync(Buffer.concat(parts)).subarray(1, 4)]
}
