import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readLock } from '../../../../../src-main/features/worker-images/rules/lock-file.ts'
import {
  comfyuiRepository,
  commitFiles,
  packageFiles,
  writeFiles,
} from '../../../features/worker-images/git-folders.ts'
import { type Answers, type Given, setupCli, startStandIn, temporaryFolder } from '../support.ts'

const NO_MODELS = {
  'GET /api/models': { models: [], more: false, revision: 1 },
  'GET /api/models/folders': { folders: [], configFile: '/x' },
  'GET /api/models/downloads': { downloads: [], revision: 1 },
}

type Properties = Readonly<Record<string, unknown>>

const node = (id: number, type: string, properties: Properties = {}, more: object = {}) => ({
  ...{ id, type, pos: [0, 0], size: [1, 1], flags: {}, order: id, mode: 0, inputs: [], outputs: [], properties },
  ...more,
})

const documentOf = (nodes: readonly object[], more: object = {}) =>
  JSON.stringify({
    last_node_id: 99,
    last_link_id: 0,
    nodes,
    links: [],
    groups: [],
    config: {},
    extra: {},
    version: 0.4,
    ...more,
  })

const payloadOf = (nodes: Readonly<Record<string, readonly [type: string, inputs?: object, meta?: object]>>) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(nodes).map(([id, [class_type, inputs = {}, _meta = {}]]) => [id, { class_type, inputs, _meta }]),
    ),
  )

async function setup(answers: Answers = {}) {
  const cli = await setupCli({ ...NO_MODELS, ...answers })
  const at = (...parts: readonly string[]) => join(cli.folder, ...parts)
  comfyuiRepository(at('ComfyUI'))
  const lock = (argv: readonly string[], given?: Given) =>
    cli.run(
      [
        'workflow',
        'lock',
        '--no-resolve',
        ...argv,
        ...(argv.includes('--update') ? [] : ['--comfyui', './ComfyUI@v0.3.40']),
      ],
      given,
    )
  const written = (name = 'cat.lock.yaml') => readFileSync(at(name), 'utf8')
  return { ...cli, at, lock, written }
}

const KNOWN = 'd'.repeat(64)

/** A service that has downloaded one of two models. */
function modelsOf(folder: string): Answers {
  const lamp = { folder, directory: 'checkpoints', name: 'lamp.safetensors' }
  const view = { ...lamp, format: 'safetensors', bytes: 4, changedAt: 1, sha256: KNOWN, isOutside: false }
  const download = {
    ...lamp,
    id: 'd1',
    url: 'https://models.example/lamp',
    state: 'done',
    receivedBytes: 4,
    createdAt: 1,
  }
  const shown = { path: folder, isDefault: false, files: 2, bytes: 7, mountedAt: '/x' }
  return {
    'GET /api/models': { models: [view], more: false, revision: 1 },
    'GET /api/models/folders': { folders: [shown], configFile: '/x' },
    'GET /api/models/downloads': { downloads: [download], revision: 1 },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('workflow lock', () => {
  test('names ComfyUI, packages, models and inputs exactly', async () => {
    const { at, lock, written } = await setup()
    const commit = commitFiles(at('ink'), packageFiles(['Ink'], ['numpy>=1.26']), 'v1')
    writeFiles(at('paint'), packageFiles(['Paint']))
    writeFiles(at('models'), { 'checkpoints/lamp.safetensors': 'lamp', 'loras/old/ink.safetensors': 'ink' })
    writeFileSync(at('start.png'), 'picture')
    const url = 'https://models.example/lamp.safetensors'
    const nodes = [
      node(
        1,
        'CheckpointLoaderSimple',
        { models: [{ name: 'lamp.safetensors', url, directory: 'checkpoints' }] },
        {
          widgets_values: ['lamp.safetensors'],
        },
      ),
      node(2, 'LoadImage', { cnr_id: 'comfy-core', ver: '0.3.40' }, { widgets_values: ['start.png', 'image'] }),
      node(3, 'Ink'),
      node(4, 'Paint'),
      node(5, 'LoraLoaderModelOnly', {}, { widgets_values: ['old\\ink.safetensors', 1] }),
    ]
    writeFileSync(at('cat.json'), documentOf(nodes))
    const { exitCode, stdout, stderr } = await lock([
      ...['cat.json', '--nodes', 'ink=./ink@v1', '--nodes', 'paint=./paint', '--models', 'models'],
      ...['--env', 'COLOUR=blue', '--provides', 'torch=2.7.1', '--base', 'base.example/torch:1'],
    ])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(stdout).toMatch(/ComfyUI +0\.3\.40 +\.\/ComfyUI\nink +[0-9a-f]{8} +\.\/ink\npaint +[0-9a-f]{8} +\.\/paint/)
    expect(readLock(written())).toMatchObject({
      comfyui: { version: '0.3.40', repository: './ComfyUI', requirements: ['torch', 'numpy>=1.25.0'] },
      base: { image: 'base.example/torch:1', python: '3.12', provides: { torch: '2.7.1' } },
      nodes: [
        {
          ...{ name: 'ink', source: { repository: './ink', commit, ref: 'v1' }, classes: ['Ink'] },
          ...{ requirements: ['numpy>=1.26'], python: '>=3.10', licence: 'MIT' },
        },
        { name: 'paint', source: { path: './paint' }, classes: ['Paint'] },
      ],
      models: [
        { folder: 'checkpoints', name: 'lamp.safetensors', sizeBytes: 4, sha256: sha256('lamp'), source: url },
        { folder: 'loras', name: 'old/ink.safetensors', sizeBytes: 3, sha256: sha256('ink') },
      ],
      inputs: [{ name: 'start.png', sizeBytes: 7, sha256: sha256('picture') }],
      environment: { COLOUR: 'blue' },
      workflow: { file: 'cat.json' },
    })
  })

  test('finds packages that subgraphs and payloads name, at the version that they name', async () => {
    const version = { version: '1.2.0', downloadUrl: 'https://files.example/ink.zip', dependencies: ['numpy'] }
    const registry = await startStandIn({
      'GET /nodes/ink-nodes/install': version,
      'GET /nodes/ink-nodes': { license: '{"text": "MIT"}' },
    })
    const { at, lock, written } = await setup()
    const inner = { id: 'sub', name: 'Sub', nodes: [node(7, 'Ink', { cnr_id: 'ink-nodes', ver: '1.2.0' })], links: [] }
    const hosted = { ...inner, inputNode: {}, outputNode: {}, inputs: [], outputs: [], widgets: [] }
    writeFileSync(at('cat.json'), documentOf([node(1, 'sub')], { definitions: { subgraphs: [hosted] } }))
    writeFileSync(at('dog.json'), payloadOf({ 1: ['Ink', {}, { cnr_id: 'ink-nodes', ver: '1.2.0' }] }))
    for (const name of ['cat', 'dog']) {
      const { exitCode, stderr } = await lock([`${name}.json`, '--registry', registry.url])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      const source = { registry: 'ink-nodes', version: '1.2.0', download: 'https://files.example/ink.zip' }
      expect(readLock(written(`${name}.lock.yaml`)).nodes).toEqual([
        { name: 'ink-nodes', source, classes: ['Ink'], requirements: ['numpy'], licence: 'MIT' },
      ])
    }
    expect(registry.seen[0]?.line).toBe('GET /nodes/ink-nodes/install?version=1.2.0')
  })

  test('uses the classes of a server and the versions of its snapshot', async () => {
    const { at, lock, written } = await setup()
    const commit = commitFiles(at('far'), packageFiles(['Ink']))
    const registry = await startStandIn({
      'GET /nodes/paint-nodes/install': { version: '2.0.0' },
      'GET /nodes/paint-nodes': {},
    })
    const server = await startStandIn({
      'GET /object_info': {
        Ink: { input: { required: {} }, output: [], python_module: 'custom_nodes.ink' },
        Paint: { input: { required: {} }, output: [], python_module: 'custom_nodes.paint-nodes' },
      },
      'GET /system_stats': { system: { comfyui_version: '0.3.41', python_version: '3' }, devices: [] },
      'GET /snapshot/get_current': {
        ...{ comfyui: null, git_custom_nodes: {}, cnr_custom_nodes: { 'paint-nodes': '2.0.0' }, file_custom_nodes: [] },
      },
    })
    writeFileSync(at('cat.json'), payloadOf({ 1: ['Ink'], 2: ['Paint'] }))
    const argv = ['cat.json', '--server', server.url, '--registry', registry.url]
    const refused = await lock([...argv, '--json'])
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stderr).conflicts).toEqual([
      {
        ...{ code: 'source_choice', blocks: true },
        message: 'Ink is in the folder ink of custom_nodes, and nothing says where that comes from.',
        choices: ['--nodes ink=PATH', '--nodes ink=ADDRESS@REF'],
        packages: [{ name: 'ink', sources: [] }],
      },
    ])
    const { exitCode } = await lock([...argv, '--nodes', 'ink=./far@main'])
    expect(exitCode).toBe(0)
    expect(readLock(written()).nodes).toMatchObject([
      { name: 'ink', source: { repository: './far', commit, ref: 'main' }, classes: ['Ink'] },
      { name: 'paint-nodes', source: { registry: 'paint-nodes', version: '2.0.0' }, classes: ['Paint'] },
    ])
  })

  test('takes hashes and addresses of downloads from the service, and drops an address of another file', async () => {
    const shared = temporaryFolder()
    const { at, lock, written } = await setup(modelsOf(shared))
    writeFiles(shared, { 'checkpoints/lamp.safetensors': 'lamp', 'loras/ink.safetensors': 'ink' })
    const url = 'https://models.example/ink.safetensors'
    const other = { name: 'ink.safetensors', url, directory: 'loras', hash: sha256('other'), hash_type: 'SHA256' }
    const nodes = [
      node(1, 'CheckpointLoaderSimple', {}, { widgets_values: ['lamp.safetensors'] }),
      node(2, 'LoraLoaderModelOnly', { models: [other] }, { widgets_values: ['ink.safetensors', 1] }),
    ]
    writeFileSync(at('cat.json'), documentOf(nodes))
    const { stderr } = await lock(['cat.json'])
    expect(stderr).toContain(`ink.safetensors here is another file than at ${url}, so that address is left out.`)
    expect(readLock(written()).models).toEqual([
      {
        ...{ folder: 'checkpoints', name: 'lamp.safetensors', sizeBytes: 4, sha256: KNOWN },
        ...{ source: 'https://models.example/lamp' },
      },
      { folder: 'loras', name: 'ink.safetensors', sizeBytes: 3, sha256: sha256('ink') },
    ])
    await lock(['cat.json', '--model', 'ink.safetensors=https://models.example/mine'])
    expect(readLock(written()).models[1]).toMatchObject({ source: 'https://models.example/mine' })
  })

  test('asks on a terminal which of several packages to take, and elsewhere lists the options', async () => {
    const registry = await startStandIn({ 'GET /nodes/b-ink/install': { version: '3.0.0' }, 'GET /nodes/b-ink': {} })
    const { at, lock, written } = await setup()
    writeFileSync(at('cat.json'), payloadOf({ 1: ['Ink'] }))
    const both = ['a-ink', 'b-ink'].map((id) => ({ id, name: id, preempted_comfy_node_names: ['Ink'] }))
    writeFileSync(at('node-packages.json'), JSON.stringify({ nodes: both }))
    const argv = ['cat.json', '--registry', registry.url]
    const env = { SVC_DATA: at() }
    const { exitCode, stderr } = await lock(argv, { env })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      [
        'conflict source_choice: Ink is in several packages: a-ink, b-ink.',
        '  --nodes a-ink=registry:a-ink',
        '  --nodes b-ink=registry:b-ink',
      ].join('\n'),
    )
    const asked = await lock(argv, { env, person: { columns: 80, pick: 1 } })
    expect(asked.asked).toEqual([
      'Ink is in several packages: a-ink, b-ink.\na-ink: registry:a-ink\nb-ink: registry:b-ink',
    ])
    expect(readLock(written()).nodes).toMatchObject([
      { name: 'b-ink', source: { registry: 'b-ink', version: '3.0.0' } },
    ])
    const again = await lock(argv, { env })
    expect(again.exitCode).toBe(0)
  })

  test('refuses two versions of one package, and an unknown class', async () => {
    const { at, lock } = await setup()
    const stated = (ver: string) => ({ cnr_id: 'ink-nodes', ver })
    writeFileSync(
      at('cat.json'),
      documentOf([node(1, 'Ink', stated('1.0.0')), node(2, 'Ink', stated('2.0.0')), node(3, 'Mystery')]),
    )
    const { exitCode, stderr } = await lock(['cat.json', '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stderr).conflicts).toMatchObject([
      {
        code: 'source_choice',
        choices: ['--nodes ink-nodes=registry:ink-nodes@1.0.0', '--nodes ink-nodes=registry:ink-nodes@2.0.0'],
      },
      { code: 'class_unknown', message: 'No known package provides the class Mystery.', packages: [] },
    ])
  })

  test('--update changes only the lines of its package', async () => {
    const { at, lock, written } = await setup()
    const first = commitFiles(at('ink'), packageFiles(['Ink'], ['numpy']), 'v1')
    commitFiles(at('paint'), packageFiles(['Paint']), 'v1')
    writeFileSync(at('cat.json'), payloadOf({ 1: ['Ink'], 2: ['Paint'] }))
    await lock(['cat.json', '--nodes', 'ink=./ink@main', '--nodes', 'paint=./paint@v1'])
    const before = written().replace('  - name: paint', '  # never change this one\n  - name: paint')
    writeFileSync(at('cat.lock.yaml'), before)
    const second = commitFiles(at('ink'), packageFiles(['Ink', 'Brush'], ['numpy']))
    commitFiles(at('paint'), packageFiles(['Paint', 'More']), 'v2')

    await lock(['cat.json'])
    expect(written()).toBe(before)
    const { exitCode } = await lock(['cat.lock.yaml', '--update', 'ink'])
    expect(exitCode).toBe(0)
    expect(written()).toBe(before.replace(first, second))
    await lock(['cat.json', '--update', 'ink=v1', '--update', 'ComfyUI=0.3.41'])
    const commits = parse(written())
    expect(commits.nodes[0].source).toEqual({ repository: './ink', commit: first, ref: 'v1' })
    expect(commits.comfyui.version).toBe('0.3.41')
    expect(written()).toContain('  # never change this one\n  - name: paint')
    const refused = await lock(['cat.lock.yaml', '--update', 'brush'])
    expect(refused).toMatchObject({ exitCode: 2 })
    expect(refused.stderr).toContain('The lock has no package brush. It has ink, paint, ComfyUI.')
  })

  test('reads a file of another tool, and writes it back as it was', async () => {
    const { at, lock, run } = await setup()
    const registry = await startStandIn({ 'GET /nodes/ink/install': { version: '1.2.0' }, 'GET /nodes/ink': {} })
    const build = [
      'schema: comfy-build/1',
      'id: bld_1 # of the builder',
      'name: Studio',
      'description: ""',
      'definition:',
      '  schema: distribution-definition/0',
      '  baseComfyVersion: v0.3.40',
      '  customNodes:',
      '    - {name: ink, id: ink, registryVersion: 1.2.0, x-more: [1.0, yes]}',
      '  pipDependencies: |',
      '    numpy==1.26.4',
      '  modelPolicy: {mode: allowlist, list: []}',
      '',
    ].join('\n')
    writeFileSync(at('comfy-build.yaml'), build)
    const made = await lock(['--from', 'comfy-build.yaml', '-o', 'studio.lock.yaml', '--registry', registry.url])
    expect(made.exitCode).toBe(0)
    expect(readLock(readFileSync(at('studio.lock.yaml'), 'utf8'))).toMatchObject({
      nodes: [{ name: 'ink', source: { registry: 'ink', version: '1.2.0' } }],
      requirements: ['numpy==1.26.4'],
    })
    const back = await run(['workflow', 'lock', 'studio.lock.yaml', '--as', 'comfy-build', '-o', 'back.yaml'])
    expect(back.exitCode).toBe(0)
    expect(readFileSync(at('back.yaml'), 'utf8')).toBe(build)
    const snapshot = await run(['workflow', 'lock', 'studio.lock.yaml', '--as', 'snapshot'])
    expect(snapshot.json()).toMatchObject({ cnr_custom_nodes: { ink: '1.2.0' } })
  })

  test('follows nothing that a graph or a file names to another place', async () => {
    const { at, lock, written } = await setup()
    writeFiles(at(), { 'secret.png': 'secret', 'graphs/x': '' })
    const nodes = payloadOf({
      1: ['LoadImage', { image: '../secret.png' }],
      2: ['CheckpointLoaderSimple', { ckpt_name: '../../secret.safetensors' }],
    })
    writeFileSync(at('graphs/cat.json'), nodes)
    writeFiles(at('models'), { '../secret.safetensors': 'x', 'checkpoints/x.safetensors': 'x' })
    const { exitCode } = await lock(['graphs/cat.json', '--models', 'models'])
    expect(exitCode).toBe(0)
    expect(readLock(written('graphs/cat.lock.yaml'))).toMatchObject({ models: [], inputs: [] })
  })

  test('a lock for this machine only stays so, until it is to be for workers everywhere again', async () => {
    const { at, lock, written } = await setup()
    writeFileSync(at('cat.json'), payloadOf({ 1: ['SaveImage'] }))
    const locked = async (...argv: readonly string[]) => {
      expect(await lock(['cat.json', ...argv])).toMatchObject({ exitCode: 0 })
      const { worker, base } = readLock(written())
      return { worker, ...base }
    }
    expect(await locked('--local', '--base', 'python:3.11', '--python', '3.11')).toMatchObject({
      ...{ worker: 'local', image: 'python:3.11', python: '3.11' },
    })
    expect(await locked()).toMatchObject({ worker: 'local', image: 'python:3.11' })
    expect(await locked('--no-local')).toMatchObject({ worker: undefined, image: 'python:3.11' })
  })

  test.each([
    [['--nodes', 'ink=ext::sh -c x'], /--nodes takes NAME=PATH/],
    [['--nodes', '../ink=./ComfyUI'], /--nodes takes NAME=PATH/],
    [['--nodes', 'ink=./none'], /--nodes takes NAME=PATH/],
    [['--env', 'COLOUR'], /--env takes NAME=VALUE, not COLOUR/],
    [['--as', 'other'], /choices/],
    [['--update', 'ink'], /There is no lock to update yet/],
  ])('refuses %j', async (argv, why) => {
    const { at, lock } = await setup()
    writeFileSync(at('cat.json'), payloadOf({ 1: ['PreviewImage'] }))
    const { exitCode, stderr } = await lock(['cat.json', ...argv])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(why)
  })
})
