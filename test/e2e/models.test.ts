import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { largeModel, sendFile, sha256Of, startHost } from '../support/model-files.ts'
import { startedService, until } from '../support/served-service.ts'

// Eight programs are started one after the other, on a machine that does much else; ms.
const LONG_MS = 180_000

test('a download resumes after the service was killed, and the command line shows, lists and deletes the model', {
  timeout: LONG_MS,
}, async () => {
  const bytes = largeModel(2048)
  const host = await startHost((incoming, outgoing) => {
    // Of the first request the second half never comes.
    if (incoming.headers.range !== undefined) return sendFile(incoming, outgoing, bytes)
    outgoing.writeHead(200, { etag: `"${sha256Of(bytes)}"`, 'content-length': bytes.length })
    outgoing.write(bytes.subarray(0, 1_000_000))
  })
  const service = await startedService()
  const run = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await service.command(...argv)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const folder = join(service.folder, 'models')
  mkdirSync(folder)
  const refused = await service.command('models', 'download', `${host.url}/vae/a.safetensors`)
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/modelsFromPrivateAddresses true/) })
  await service.ask('PATCH', '/api/settings', { modelsFromPrivateAddresses: true })
  expect(await run('models', 'folders', 'add', 'models', '--first')).toMatchObject({
    folders: [
      { path: folder, mountedAt: '/opt/drydock/models/1' },
      { path: join(service.data, 'models'), isDefault: false },
    ],
  })
  mkdirSync(join(service.folder, 'comfy'))
  writeFileSync(join(service.folder, 'extra_model_paths.yaml'), 'comfyui:\n  base_path: comfy\n  loras: models/loras\n')
  expect(await run('models', 'folders', 'add', '--from', 'extra_model_paths.yaml')).toMatchObject({
    folders: [
      { path: folder },
      { isDefault: false },
      { path: join(service.folder, 'comfy'), directories: { loras: ['models/loras'] } },
    ],
  })
  const { id } = await run('models', 'download', `${host.url}/vae/a.safetensors`, '--detach')
  await until(async () => {
    const { downloads } = await service.get('/api/models/downloads')
    expect(downloads[0]).toMatchObject({ id, state: 'running', receivedBytes: 1_000_000 })
  })
  await service.kill()
  expect(existsSync(join(folder, 'vae', 'a.safetensors'))).toBe(false)
  await service.start()
  await until(async () => {
    const { downloads } = await service.get('/api/models/downloads')
    expect(downloads.find((one: { id: string }) => one.id === id)).toMatchObject({ state: 'done' })
  })
  expect(readFileSync(join(folder, 'vae', 'a.safetensors'))).toEqual(bytes)
  expect(readdirSync(join(folder, 'vae'))).toEqual(['a.safetensors'])
  expect(host.seen.at(-1)).toMatchObject({ range: 'bytes=1000000-' })
  expect(await run('models', 'list', '--uses')).toMatchObject({
    models: [{ directory: 'vae', name: 'a.safetensors', kind: 'vae', sha256: sha256Of(bytes), uses: [] }],
  })
  expect(await service.command('models', 'remove', 'vae/a.safetensors')).toMatchObject({ exitCode: 5 })
  await run('models', 'remove', 'vae/a.safetensors', '--yes')
  expect((await service.get('/api/models')).models).toEqual([])
})
