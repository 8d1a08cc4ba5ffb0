import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ModelDownload, ModelNews } from '../../src-main/contract/models.ts'
import { type SetupOptions, setup as setupService, type TestService } from '../support/core.ts'
import { LORA, largeModel, sendFile, sha256Of, startHost, withHead } from '../support/model-files.ts'
import { readEvents } from '../support/read-events.ts'

const DOWNLOADS = '/api/models/downloads'

/** A service whose one folder of models is fresh, and that may ask hosts on loopback. */
async function setup({
  file,
  settings,
  storage,
}: Pick<SetupOptions, 'storage' | 'settings'> & { readonly file?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-models-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = await setupService({
    ...(file === undefined ? {} : { file: join(folder, file) }),
    ...(storage === undefined ? {} : { storage }),
    settings: { modelsFromPrivateAddresses: true, ...settings },
  })
  const models = join(folder, 'models')
  mkdirSync(models)
  await service.post('/api/models/folders', { folders: [{ path: models }] })
  const state = (id: string) =>
    service.get(DOWNLOADS).then(({ downloads }) => downloads.find((one: ModelDownload) => one.id === id))
  return {
    service,
    folder,
    models,
    state,
    download: (url: string, more: object = {}): Promise<ModelDownload> =>
      service.post(DOWNLOADS, { url, directory: 'loras', ...more }),
    end: (id: string, ms = 600_000): Promise<ModelDownload> =>
      service.clock.until(async () => {
        const now = await state(id)
        return now !== undefined && !['waiting', 'running'].includes(now.state) && now
      }, ms),
    /** Waits until so much of some file has arrived. */
    taken: (bytes: number): Promise<void> =>
      expect
        .poll(async () => {
          const { downloads } = await service.get(DOWNLOADS)
          return Math.max(...downloads.map((one: ModelDownload) => one.receivedBytes))
        })
        .toBeGreaterThanOrEqual(bytes),
    /** Names of all files below the folder, hidden ones too. */
    files: () =>
      readdirSync(models, { recursive: true, withFileTypes: true })
        .filter((one) => !one.isDirectory())
        .map(({ name }) => name),
  }
}

/** A disk that has only so much left. */
const withFreeBytes =
  (bytes: number): NonNullable<SetupOptions['storage']> =>
  (storage) => ({
    ...storage,
    modelFiles: {
      ...storage.modelFiles,
      openPart: async (target, id) => ({
        ...(await storage.modelFiles.openPart(target, id)),
        freeBytes: async () => bytes,
      }),
    },
  })

const refused = (service: TestService, body: object) => service.ask('POST', DOWNLOADS, { body })

describe('a download of a model', () => {
  it('is whole, checked and listed when it is done, and nothing of it before', async () => {
    const bytes = largeModel(64)
    const goOn = Promise.withResolvers<void>()
    const host = await startHost(async (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-length': bytes.length })
      outgoing.write(bytes.subarray(0, 40_000))
      await goOn.promise
      outgoing.end(bytes.subarray(40_000))
    })
    const { service, models, download, state, end, files } = await setup()
    const { id } = await download(`${host.url}/vae/a.safetensors?token=secret`, {
      directory: undefined,
      sha256: sha256Of(bytes).toUpperCase(),
    })
    const half = await service.clock.until(async () => {
      const now = await state(id)
      return now.receivedBytes === 40_000 && now
    })
    expect(half).toMatchObject({ state: 'running', totalBytes: bytes.length, directory: 'vae', name: 'a.safetensors' })
    expect((await service.get('/api/models')).models).toEqual([])
    expect(existsSync(join(models, 'vae', 'a.safetensors'))).toBe(false)
    goOn.resolve()
    expect(await end(id)).toMatchObject({ state: 'done', receivedBytes: bytes.length, sha256: sha256Of(bytes) })
    expect(readFileSync(join(models, 'vae', 'a.safetensors'))).toEqual(bytes)
    expect(files()).toEqual(['a.safetensors'])
    expect((await service.get('/api/models')).models).toMatchObject([
      {
        directory: 'vae',
        name: 'a.safetensors',
        kind: 'vae',
        bytes: bytes.length,
        sha256: sha256Of(bytes),
        folder: models,
      },
    ])
    // Keys of an address are neither shown nor logged.
    expect(JSON.stringify([await service.get(DOWNLOADS), service.log])).not.toContain('secret')
  })

  it('continues from where the connection was lost, with what the host knows the file by', async () => {
    const bytes = largeModel(64)
    const { download, end, models, taken } = await setup()
    let breaks = 2
    const host = await startHost((incoming, outgoing) => {
      breaks -= 1
      sendFile(incoming, outgoing, bytes, breaks >= 0 ? { upTo: 20_000, taken } : {})
    })
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id)).toMatchObject({ state: 'done', sha256: sha256Of(bytes) })
    expect(readFileSync(join(models, 'loras', 'a.safetensors'))).toEqual(bytes)
    const etag = `"${sha256Of(bytes)}"`
    expect(host.seen.map(({ ifRange }) => ifRange)).toEqual([undefined, etag, etag])
    expect(host.seen[2]?.range).toMatch(/^bytes=[1-9]\d*-$/)
  })

  it('begins anew where the host has another file meanwhile, and where it knows no ranges', async () => {
    const [old, fresh] = [largeModel(64), largeModel(48)]
    const { download, end, models, taken } = await setup()
    let count = 0
    const changes = await startHost((incoming, outgoing) => {
      count += 1
      sendFile(incoming, outgoing, count === 1 ? old : fresh, count === 1 ? { upTo: 30_000, taken } : {})
    })
    let tries = 0
    const plain = await startHost((_incoming, outgoing) => {
      tries += 1
      outgoing.writeHead(200, { 'content-length': fresh.length })
      if (tries > 1) outgoing.end(fresh)
      else outgoing.write(fresh.subarray(0, 10_000), () => outgoing.destroy())
    })
    for (const [name, { url }] of Object.entries({ changes, plain })) {
      const { id } = await download(`${url}/x`, { name: `${name}.safetensors` })
      expect(await end(id)).toMatchObject({ state: 'done', sha256: sha256Of(fresh) })
      expect(readFileSync(join(models, 'loras', `${name}.safetensors`))).toEqual(fresh)
    }
  })

  it.each(['in order', 'killed'] as const)('continues after the service ended %s', async (how) => {
    const bytes = largeModel(64)
    const held: ServerResponse[] = []
    const host = await startHost((incoming: IncomingMessage, outgoing) => {
      if (held.length > 0) return sendFile(incoming, outgoing, bytes)
      held.push(outgoing)
      outgoing.writeHead(200, { etag: `"${sha256Of(bytes)}"`, 'content-length': bytes.length })
      outgoing.write(bytes.subarray(0, 40_000))
    })
    const { service, download, state, end, models } = await setup({ file: 'drydock.db' })
    const { id } = await download(`${host.url}/a.safetensors`)
    await service.clock.until(async () => (await state(id)).receivedBytes === 40_000)
    if (how === 'killed') held[0]?.destroy() // a killed process holds no connection
    await service.restart('in order')
    expect(await end(id)).toMatchObject({ state: 'done', sha256: sha256Of(bytes) })
    expect(readFileSync(join(models, 'loras', 'a.safetensors'))).toEqual(bytes)
    expect(host.seen.at(-1)?.range).toMatch(/^bytes=[1-9]\d*-$/)
  })

  it('of another checksum than the one given is thrown away', async () => {
    const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const { download, end, files } = await setup()
    const { id } = await download(`${host.url}/a.safetensors`, { sha256: '0'.repeat(64) })
    expect(await end(id)).toMatchObject({
      state: 'failed',
      reason: `the file has the SHA-256 ${sha256Of(LORA)}, and ${'0'.repeat(64)} was expected: it is a different file, or it is damaged. It was deleted`,
    })
    expect(files()).toEqual([])
  })

  it('is not even begun where the host tells of another checksum', async () => {
    const host = await startHost((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'x-linked-etag': `"${'1'.repeat(64)}"`, 'content-length': 10 ** 9 }).flushHeaders()
    })
    const { download, end, files } = await setup()
    const { id } = await download(`${host.url}/a.safetensors`, { sha256: '0'.repeat(64) })
    expect(await end(id)).toMatchObject({ state: 'failed', receivedBytes: 0 })
    expect(files()).toEqual([])
  })

  it.each([
    [
      'a safetensors file that is cut off',
      'a.safetensors',
      LORA.subarray(0, LORA.length - 1),
      /not a complete safetensors file: .* incomplete/,
    ],
    ['a safetensors file whose head lies', 'a.safetensors', withHead('{}', 0, 10 ** 9), /longer than the file/],
    ['something else by the name of a model', 'a.gguf', Buffer.from('hello'), /not a gguf file/],
    ['nothing', 'a.pth', Buffer.alloc(0), /is empty/],
  ])('that brings %s is thrown away', async (_what, name, bytes, reason) => {
    const host = await startHost((_incoming, outgoing) => void outgoing.end(bytes))
    const { download, end, files } = await setup()
    const { id } = await download(`${host.url}/${name}`)
    expect(await end(id)).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) })
    expect(files()).toEqual([])
  })

  it('above the limit is refused by what the host says, and broken off where it says nothing', async () => {
    const told = await startHost((_incoming, outgoing) =>
      outgoing.writeHead(200, { 'content-length': 2 ** 21 }).flushHeaders(),
    )
    const silent = await startHost((_incoming, outgoing) => {
      const write = () => {
        while (outgoing.write(Buffer.alloc(64 * 1024)));
      }
      outgoing.on('drain', write)
      write()
    })
    const { download, end, files } = await setup({ settings: { modelsMaxMib: 1 } })
    for (const { url } of [told, silent]) {
      const { id } = await download(`${url}/a.safetensors`)
      expect(await end(id)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/the limit is 1\.0 MiB/) })
    }
    expect(files()).toEqual([])
  })

  it('that does not fit on the disk is refused before the first byte', async () => {
    const host = await startHost((_incoming, outgoing) =>
      outgoing.writeHead(200, { 'content-length': 2 ** 30 }).flushHeaders(),
    )
    const { download, end } = await setup({ storage: withFreeBytes(1.5 * 2 ** 30) })
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id)).toMatchObject({
      state: 'failed',
      receivedBytes: 0,
      reason:
        '1.0 GiB more are needed, and the disk has 1.5 GiB left, of which 1.0 GiB stay free. Free some space and try again',
    })
  })

  it('from a private address is refused unless the setting says so, and the reason names it', async () => {
    const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const { download, end } = await setup({ settings: { modelsFromPrivateAddresses: false } })
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/modelsFromPrivateAddresses true/),
    })
    expect(host.seen).toEqual([])
  })

  it('that fails for good can be tried again, and continues from where it was', async () => {
    const bytes = largeModel(64)
    const { service, download, end, taken } = await setup()
    let count = 0
    const host = await startHost((incoming, outgoing) => {
      count += 1
      if (count === 2) return void outgoing.writeHead(404).end()
      sendFile(incoming, outgoing, bytes, count === 1 ? { upTo: 20_000, taken } : {})
    })
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id)).toMatchObject({ state: 'failed', reason: `${host.place} has no such file (HTTP 404)` })
    await service.post(`${DOWNLOADS}/${id}/retry`)
    expect(await end(id)).toMatchObject({ state: 'done' })
    expect(host.seen[2]?.range).toMatch(/^bytes=[1-9]\d*-$/)
  })

  it('of a host that never brings anything is given up', async () => {
    const host = await startHost((_incoming, outgoing) => void outgoing.writeHead(503).end())
    const { download, end } = await setup()
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id, 3_600_000)).toMatchObject({
      reason: `${host.place} answered with HTTP 503; gave up after 12 tries`,
    })
    expect(host.seen.length).toBe(12)
  })

  it('that is cancelled leaves nothing, and can be taken from the list', async () => {
    const host = await startHost((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 100_000 })
      outgoing.write(Buffer.alloc(1000))
    })
    const { service, download, state, files } = await setup()
    const { id } = await download(`${host.url}/a.safetensors`)
    await service.clock.until(async () => (await state(id)).receivedBytes === 1000)
    expect(await service.ask('DELETE', `${DOWNLOADS}/${id}`)).toMatchObject({
      status: 400,
      body: { code: 'BAD_FIELD' },
    })
    expect(await service.post(`${DOWNLOADS}/${id}/cancel`)).toMatchObject({ state: 'cancelled', receivedBytes: 0 })
    expect(files()).toEqual([])
    expect(await service.ask('DELETE', `${DOWNLOADS}/${id}`)).toMatchObject({ status: 200 })
    expect((await service.get(DOWNLOADS)).downloads).toEqual([])
    expect(await service.ask('POST', `${DOWNLOADS}/${id}/retry`)).toMatchObject({
      body: { code: 'DOWNLOAD_NOT_FOUND' },
    })
  })

  it('that is asked for twice is one, and a model that is there is not replaced', async () => {
    const goOn = Promise.withResolvers<void>()
    const host = await startHost(async (incoming, outgoing) => {
      await goOn.promise
      sendFile(incoming, outgoing, LORA)
    })
    const { service, models, download, end } = await setup()
    const first = await download(`${host.url}/a.safetensors`)
    expect((await download(`${host.url}/a.safetensors`)).id).toBe(first.id)
    // Somebody puts a file there meanwhile.
    await service.clock.until(() => existsSync(join(models, 'loras')))
    writeFileSync(join(models, 'loras', 'a.safetensors'), 'mine')
    goOn.resolve()
    expect(await end(first.id)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/already exists\. It was not replaced/),
    })
    expect(readFileSync(join(models, 'loras', 'a.safetensors'), 'utf8')).toBe('mine')
    const again = await refused(service, { url: `${host.url}/a.safetensors`, directory: 'loras' })
    expect(again).toMatchObject({ status: 409, body: { code: 'MODEL_EXISTS' } })
  })

  it.each([
    ['a name that leads out', { name: '../../a.safetensors' }, 'name'],
    ['an absolute name', { name: '/etc/a.safetensors' }, 'name'],
    ['a name that is no model', { name: 'run.py' }, 'name'],
    ['a directory that leads out', { directory: '../custom_nodes' }, 'directory'],
    ['an absolute directory', { directory: '/etc' }, 'directory'],
    ['no directory', { directory: undefined }, 'directory'],
    ['a folder that is none of models', { folder: '/etc' }, 'folder'],
    ['an address of a file', { url: 'file:///etc/a.safetensors' }, 'url'],
    ['an address with a password', { url: 'https://a:b@x.test/a.safetensors' }, 'url'],
    ['an address without a name', { url: 'https://x.test/' }, 'name'],
    ['a checksum that is none', { sha256: 'abc' }, 'sha256'],
  ])('with %s is refused', async (_what, more, field) => {
    const { service } = await setup()
    const body = { url: 'https://x.test/a.safetensors', directory: 'loras', ...more }
    expect(await refused(service, body)).toMatchObject({
      status: 400,
      body: { code: 'BAD_FIELD', detail: expect.stringMatching(`^${field}: `) },
    })
  })

  it('does not follow a link that leads out of the folder', async () => {
    const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const { folder, models, download, end } = await setup()
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(models, 'loras'))
    const { id } = await download(`${host.url}/sub/a.safetensors`)
    expect(await end(id)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/is a link that leads out of its model folder/),
    })
    expect(readdirSync(outside)).toEqual([])
    expect(host.seen).toEqual([])
  })

  it('is reported live, from its first byte to the model in the list', async () => {
    const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const { service, download } = await setup()
    const { revision } = await service.get('/api/models')
    const events = readEvents(await service.request('GET', `${DOWNLOADS}?follow=true`))
    await download(`${host.url}/a.safetensors`)
    const heard: ModelNews[] = []
    const last = await service.clock.until(async () => {
      heard.push(...(await events.next()).map(({ data }) => JSON.parse(data ?? '')))
      const news = heard.at(-1)
      return news !== undefined && news.revision > revision && news.downloads[0]?.state === 'done' && news
    })
    expect(heard.some(({ downloads }) => downloads[0]?.state === 'running')).toBe(true)
    expect(last.downloads).toMatchObject([{ state: 'done', receivedBytes: LORA.length }])
  })
})

describe('credentials of a host', () => {
  it('are sent to it, never shown, and not to where it leads', async () => {
    const bytes = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const host = await startHost(
      (_incoming, outgoing) => void outgoing.writeHead(302, { location: `${bytes.url}/b` }).end(),
    )
    const { service, download, end } = await setup()
    const put = await service.post('/api/models/credentials', { host: host.place, token: 'hf_secret' })
    expect(put).toEqual({ host: host.place, updatedAt: service.clock.wall() })
    const { id } = await download(`${host.url}/a.safetensors`)
    expect(await end(id)).toMatchObject({ state: 'done' })
    expect(host.seen[0]?.authorization).toBe('Bearer hf_secret')
    expect(bytes.seen[0]?.authorization).toBe(undefined)
    const shown = [await service.get('/api/models/credentials'), await service.get(DOWNLOADS), service.log]
    expect(JSON.stringify(shown)).not.toContain('hf_secret')
    await service.ask('DELETE', `/api/models/credentials/${encodeURIComponent(host.place)}`)
    expect(await service.get('/api/models/credentials')).toEqual({ credentials: [] })
  })

  it('may be a user with a password; what is neither is refused', async () => {
    const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, LORA))
    const { service, download, end } = await setup()
    await service.post('/api/models/credentials', { host: host.place, username: 'ada', password: 'enchantress' })
    expect(await service.get('/api/models/credentials')).toMatchObject({
      credentials: [{ host: host.place, username: 'ada' }],
    })
    await end((await download(`${host.url}/a.safetensors`)).id)
    expect(host.seen[0]?.authorization).toBe(`Basic ${Buffer.from('ada:enchantress').toString('base64')}`)
    for (const body of [
      { host: 'x.test' },
      { host: 'x.test', username: 'a' },
      { host: 'x.test', token: 't', username: 'a', password: 'p' },
      { host: 'https://x.test', token: 't' },
    ])
      expect(await service.ask('POST', '/api/models/credentials', { body })).toMatchObject({ status: 400 })
  })
})
