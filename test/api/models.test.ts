import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup as setupService } from '../support/core.ts'
import { LORA } from '../support/model-files.ts'

async function setup() {
  const root = mkdtempSync(join(tmpdir(), 'drydock-models-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const service = await setupService()
  const models = join(root, 'models')
  mkdirSync(models)
  const put = (path: string, bytes: Uint8Array | string = LORA) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), bytes)
  }
  const set = (...folders: readonly object[]) => service.post('/api/models/folders', { folders })
  await set({ path: models })
  const names = async () =>
    (await service.get('/api/models')).models.map(
      ({ directory, name }: { directory: string; name: string }) => `${directory}: ${name}`,
    )
  return { service, root, models, put, set, names }
}

describe('models', () => {
  it('are a kind of what takes disk, with size and count of all folders', async () => {
    const { service, root, models, put, set } = await setup()
    put('models/loras/ink.safetensors', 'x'.repeat(300))
    put('webui/models/Stable-diffusion/old.ckpt', 'x'.repeat(200))
    const webui = { path: join(root, 'webui'), directories: { checkpoints: ['models/Stable-diffusion'] } }
    await set({ path: models }, webui)
    const ofModels = async () =>
      (await service.get('/api/disk')).uses.find(({ kind }: { kind: string }) => kind === 'models')
    expect(await ofModels()).toMatchObject({ bytes: 500, count: 2, where: `${models}, ${webui.path}` })
    expect(await ofModels()).not.toHaveProperty('clean')
    rmSync(webui.path, { recursive: true })
    expect(await ofModels()).toMatchObject({ bytes: 300, count: 1, fault: expect.stringContaining(webui.path) })
  })

  it('are listed from all folders, by their directory as graphs know it', async () => {
    const { root, models, put, set, names } = await setup()
    put('models/loras/ink.safetensors')
    put('models/unet/sub/flux.gguf', 'x')
    put('models/ipadapter/face.bin', 'x')
    put('models/loras/put_loras_here')
    put('models/loras/.ink.safetensors.1.part')
    put('models/.hidden/a.safetensors')
    put('models/lies-at-the-top.safetensors')
    put('webui/models/Stable-diffusion/old.ckpt', 'x')
    put('webui/models/VAE/other.pt', 'x')
    await set(
      { path: models },
      { path: join(root, 'webui'), directories: { checkpoints: ['models/Stable-diffusion'] } },
    )
    expect(await names()).toEqual([
      'ipadapter: face.bin',
      'loras: ink.safetensors',
      'diffusion_models: sub/flux.gguf',
      'checkpoints: old.ckpt',
    ])
  })

  it('tell what their files are, and are read again when they change', async () => {
    const { service, models, put } = await setup()
    put('models/loras/a.safetensors')
    const [first] = (await service.get('/api/models')).models
    expect(first).toMatchObject({
      folder: models,
      kind: 'lora',
      architecture: 'SDXL',
      format: 'safetensors',
      bytes: LORA.length,
      isOutside: false,
    })
    put('models/loras/a.safetensors', LORA.subarray(0, 40))
    utimesSync(join(models, 'loras/a.safetensors'), 1, 1)
    const [again] = (await service.get('/api/models')).models
    expect(again).toMatchObject({ format: 'safetensors', fault: expect.stringMatching(/incomplete/), changedAt: 1000 })
  })

  it('behind links are listed once, and those that lead out are marked', async () => {
    const { service, root, models, put } = await setup()
    put('models/loras/a.safetensors')
    put('elsewhere/b.safetensors')
    symlinkSync(join(root, 'elsewhere'), join(models, 'loras', 'linked'))
    symlinkSync(join(models, 'loras'), join(models, 'loras', 'loop'))
    symlinkSync(join(root, 'nowhere'), join(models, 'vae'))
    expect((await service.get('/api/models')).models).toMatchObject([
      { name: 'a.safetensors', isOutside: false },
      { name: 'linked/b.safetensors', isOutside: true },
    ])
  })

  it('are deleted one by one; of a link the link, and nothing outside the folders', async () => {
    const { service, root, models, put, names } = await setup()
    put('models/loras/a.safetensors')
    put('elsewhere/b.safetensors')
    put('elsewhere/c.safetensors')
    symlinkSync(join(root, 'elsewhere/b.safetensors'), join(models, 'loras/b.safetensors'))
    symlinkSync(join(root, 'elsewhere'), join(models, 'vae'))
    const remove = (directory: string, name: string, folder = models) =>
      service.ask('POST', '/api/models/remove', { body: { folder, directory, name } })
    expect(await remove('loras', 'a.safetensors')).toMatchObject({ status: 200 })
    expect(await remove('loras', 'b.safetensors')).toMatchObject({ status: 200 })
    expect(readFileSync(join(root, 'elsewhere/b.safetensors')).length).toBe(LORA.length)
    expect(await remove('vae', 'c.safetensors')).toMatchObject({ status: 409, body: { code: 'MODEL_UNWRITABLE' } })
    expect(await remove('loras', 'a.safetensors')).toMatchObject({ status: 404, body: { code: 'MODEL_NOT_FOUND' } })
    for (const [directory, name, folder] of [
      ['..', 'elsewhere/c.safetensors', models],
      ['loras', '../../elsewhere/c.safetensors', models],
      ['loras', 'a.safetensors', '/etc'],
    ] as const)
      expect(await remove(directory, name, folder)).toMatchObject({ status: 400 })
    expect(await names()).toEqual(['vae: b.safetensors', 'vae: c.safetensors'])
  })

  it('say where they are used: in the library, in published graphs, in runs', async () => {
    const { service } = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const document = {
      nodes: [{ id: 1, type: 'LoraLoader', widgets_values: ['sub\\ink.safetensors', 1, 1] }],
      links: [],
      version: 0.4,
    }
    const { id } = await service.post('/api/workflows', { name: 'Portraits', text: JSON.stringify(document) })
    const payload = JSON.stringify({ 1: { class_type: 'SaveImage', inputs: { lora_name: 'sub/ink.safetensors' } } })
    const run = await service.post('/api/workflow-runs', { endpointId: 'e', payload, title: 'A run' })
    const { uses } = await service.get('/api/models/uses')
    expect(uses).toMatchObject({
      'sub/ink.safetensors': [
        { kind: 'workflow', id, title: 'Portraits' },
        { kind: 'run', id: run.id, title: 'A run' },
      ],
    })
    // Uses found in the text before it changed are forgotten.
    const text = JSON.stringify({ ...document, nodes: [] })
    await service.ask('POST', `/api/workflows/${id}/versions`, { body: { text, seen: { version: 1, draft: 0 } } })
    expect((await service.get('/api/models/uses')).uses['sub/ink.safetensors']).toMatchObject([{ kind: 'run' }])
  })

  it('of the folders may be loaded, like those that an endpoint names, as soon as they are there', async () => {
    const { service, put } = await setup()
    await service.createEndpoint('e', { workflows: { models: ['base.safetensors'] } })
    await service.createEndpoint('apart', { workflows: { models: ['base.safetensors'], modelFolders: false } })
    const send = (endpointId: string) =>
      service.ask('POST', `/v2/${endpointId}/run`, {
        body: { input: { workflow: { 1: { class_type: 'LoraLoader', inputs: { lora_name: 'ink.safetensors' } } } } },
      })
    expect(await send('e')).toMatchObject({ status: 400, body: { code: 'MODEL_NOT_INSTALLED' } })
    put('models/loras/ink.safetensors')
    await service.clock.until(async () => (await send('e')).status === 200)
    expect(await send('apart')).toMatchObject({ status: 400, body: { code: 'MODEL_NOT_INSTALLED' } })
  })
})

describe('folders of models', () => {
  it('are one in the data folder where no other is set', async () => {
    const service = await setupService()
    expect(await service.get('/api/models/folders')).toMatchObject({
      folders: [
        {
          path: '/data/models',
          isDefault: true,
          files: 0,
          fault: 'there is no such folder',
          mountedAt: '/opt/drydock/models/1',
        },
      ],
    })
    expect(await service.get('/api/models')).toMatchObject({ models: [], more: false })
  })

  it('say what is in them, and how much their disk has left', async () => {
    const { service, models, put } = await setup()
    put('models/loras/a.safetensors')
    const { folders, configFile } = await service.get('/api/models/folders')
    expect(folders).toEqual([
      {
        path: models,
        isDefault: false,
        files: 1,
        bytes: LORA.length,
        freeBytes: expect.any(Number),
        mountedAt: '/opt/drydock/models/1',
      },
    ])
    expect(readFileSync(configFile, 'utf8')).toContain(`base_path: ${JSON.stringify(models)}`)
  })

  it.each([
    ['one that is not there', [{ path: '/nowhere/at/all' }], /is not a folder on this machine/],
    ['one that is not absolute', [{ path: 'models' }], /must be an absolute folder/],
    ['one twice', [{ path: '/tmp' }, { path: '/tmp' }], /twice/],
    ['a directory that leads out', [{ path: '/tmp', directories: { loras: ['../x'] } }], /must not hold empty parts/],
  ])('refuse %s', async (_what, folders, why) => {
    const { service } = await setup()
    expect(await service.ask('POST', '/api/models/folders', { body: { folders } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(why) },
    })
  })

  it('are given to containers that take workflows, read-only, with a file that tells ComfyUI of them', async () => {
    const { service, models, root, set } = await setup()
    const other = join(root, 'other')
    mkdirSync(other)
    await set({ path: models }, { path: other })
    const own = { source: 'cache', target: '/opt/drydock/models/2', readOnly: false }
    await service.createEndpoint('takes', {
      command: undefined,
      workflows: {},
      container: { image: 'comfy:1', volumes: [own] },
    })
    await service.createEndpoint('apart', {
      command: undefined,
      workflows: { modelFolders: false },
      container: { image: 'comfy:1' },
    })
    await service.createEndpoint('plain', { command: undefined, container: { image: 'plain:1' } })
    const volumesOf = async (endpointId: string) => {
      await service.worker(endpointId)
      const spec = service.fleet().started.find((one) => one.endpointId === endpointId)
      return spec?.container?.volumes
    }
    const volumes = await volumesOf('takes')
    expect(volumes).toEqual([
      own, // a place that is taken stays as it is
      { source: models, target: '/opt/drydock/models/1', readOnly: true },
      { source: expect.any(String), target: '/comfyui/extra_model_paths.yaml', readOnly: true },
    ])
    const text = readFileSync(volumes?.[2]?.source ?? '', 'utf8')
    expect(text).toContain('base_path: "/opt/drydock/models/1"')
    expect(text).toContain('"diffusion_models": "diffusion_models\\nunet"')
    // An image of the catalog takes graphs, whatever its settings say.
    await service.createEndpoint('image', { command: undefined, container: { image: 'runpod/worker-comfyui:5' } })
    expect(await volumesOf('image')).toHaveLength(3)
    expect(await volumesOf('apart')).toEqual([])
    expect(await volumesOf('plain')).toEqual([])
  })
})
