import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup, type TestService } from '../support/core.ts'
import { until } from '../support/served-service.ts'

const BYTES = { 'content-type': 'application/octet-stream' }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A picture of one colour. */
const picture = (grey: number, width = 4, height = 3) =>
  encode({ width, height, channels: 1, depth: 8, data: new Uint8Array(width * height).fill(grey) })

const put = (
  service: TestService,
  bytes: Uint8Array,
  { id = sha256(bytes), name }: { id?: string; name?: string } = {},
) =>
  service.ask('PUT', `/api/assets/${id}${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`, {
    body: bytes,
    headers: BYTES,
  })

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-assets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('an asset', () => {
  it('is stored under its hash, with metadata from its header', async () => {
    const service = await setup()
    const bytes = picture(1)
    const { status, body } = await put(service, bytes, { name: 'cat.png' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: sha256(bytes),
        name: 'cat.png',
        bytes: bytes.length,
        mediaType: 'image/png',
        width: 4,
        height: 3,
        createdAt: expect.any(Number),
      },
    })
    expect(await service.get('/api/assets?name=cat.png')).toEqual({ assets: [body] })
    const read = await service.request('GET', `/api/assets/${body.id}`)
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(new Uint8Array(bytes))
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
    })
    const again = await service.request('GET', `/api/assets/${body.id}`, {
      headers: { 'if-none-match': `"${body.id}"` },
    })
    expect(again.status).toBe(304)
  })

  it.each([
    ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
    ['bytes=7-', 206, 'bytes 7-9/10', '789'],
    ['bytes=0-99', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=10-', 416, 'bytes */10', ''],
    ['bytes=-0', 416, 'bytes */10', ''],
    ['bytes=4-2', 200, null, '0123456789'],
    ['bytes=-', 200, null, '0123456789'],
    ['bytes=1-2,4-5', 200, null, '0123456789'],
  ])('gives the part %s of itself, as players of films ask', async (range, status, contentRange, text) => {
    const service = await setup()
    const { body } = await put(service, Buffer.from('0123456789'))
    const answer = await service.request('GET', `/api/assets/${body.id}`, { headers: { range } })
    const { headers } = answer
    expect({ status: answer.status, range: headers.get('content-range'), text: await answer.text() }).toEqual({
      status,
      range: contentRange,
      text,
    })
  })

  it('keeps its name with the same content; another content gets a number', async () => {
    const service = await setup()
    const names: string[] = []
    for (const grey of [1, 1, 2, 3, 2]) names.push((await put(service, picture(grey), { name: 'x.png' })).body.name)
    expect(names).toEqual(['x.png', 'x.png', 'x (1).png', 'x (2).png', 'x (1).png'])
  })

  it('loses the folders of its name', async () => {
    const service = await setup()
    expect((await put(service, picture(1), { name: '../../etc/x.png' })).body.name).toBe('x.png')
    expect((await put(service, picture(1), { name: '..' })).body.code).toBe('BAD_FIELD')
  })

  it('is rejected if it is empty or its bytes do not match its name', async () => {
    const service = await setup()
    const bytes = picture(1)
    const wrong = await put(service, bytes, { id: 'a'.repeat(64) })
    expect(wrong.body).toMatchObject({ code: 'BAD_FIELD', error: expect.stringContaining(sha256(bytes)) })
    expect((await put(service, bytes, { id: '../secrets.key' })).status).toBeGreaterThanOrEqual(400)
    expect((await put(service, new Uint8Array())).body).toMatchObject({ error: 'body: the file is empty.' })
    expect((await service.ask('GET', `/api/assets/${'a'.repeat(64)}`)).body.code).toBe('ASSET_NOT_FOUND')
  })

  it('is accepted at the size limit and rejected one byte above it', async () => {
    const service = await setup()
    expect((await put(service, new Uint8Array(limit('assetBytes')))).status).toBe(200)
    expect((await put(service, new Uint8Array(limit('assetBytes') + 1))).body.code).toBe('BODY_TOO_LARGE')
  })

  it('with HTML or SVG is served as a download, so that its scripts never run', async () => {
    const service = await setup()
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      '<html><script/></html>',
      '\0\x01\x02',
    ]) {
      const { body } = await put(service, Buffer.from(text))
      const { headers } = await service.request('GET', `/api/assets/${body.id}?name=a"b;é.svg`)
      expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%22b%3B%C3%A9.svg")
      expect(headers.get('content-type')).not.toContain('html')
    }
  })

  it('whose header claims gigabytes is not decoded', async () => {
    const service = await setup()
    const bytes = picture(1)
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(16, 2_000_000_000)
    expect((await put(service, bytes)).body).toMatchObject({ mediaType: 'image/png', width: 2_000_000_000 })
  })
})

describe('a store that is full', () => {
  // The least that can be set is 100 MiB: two files of 40 MiB fit.
  const large = (mark: number) => new Uint8Array(40 * 1024 * 1024).fill(mark)

  it('evicts unreferenced assets, least recently used first, and rejects uploads if all are in use', async () => {
    const service = await setup({ settings: { assetsMaxMib: 100 } })
    const first = await put(service, large(1), { name: 'a.png' })
    const second = await put(service, large(2), { name: 'b.png' })
    expect((await put(service, large(3))).body).toMatchObject({
      code: 'NOT_DONE',
      error: expect.stringContaining('raise assetsMaxMib'),
    })
    // `b.png` is asked for by a workflow, `a.png` by none.
    const text = '{"nodes": [{"id": 1, "type": "LoadImage", "widgets_values": ["b.png", "image"]}], "links": []}'
    await service.post('/api/workflows', { name: 'x', text })
    await service.clock.leap(61 * 60_000)
    expect((await put(service, large(3))).status).toBe(200)
    expect((await service.ask('GET', `/api/assets/${first.body.id}`)).body.code).toBe('ASSET_NOT_FOUND')
    expect((await service.request('GET', `/api/assets/${second.body.id}`)).status).toBe(200)
    expect((await put(service, large(4))).body.code).toBe('NOT_DONE')
  })
})

describe('files of the data folder', () => {
  it('survive kill -9; files without a record are removed', async () => {
    const folder = dataFolder()
    const service = await setup({ file: join(folder, 'drydock.db') })
    const { body } = await put(service, picture(7), { name: 'x.png' })
    writeFileSync(join(folder, 'assets', '.left.new'), 'half')
    await service.restart('killed')
    expect((await service.request('GET', `/api/assets/${body.id}`)).status).toBe(200)
    expect(await service.get('/api/assets?name=x.png')).toMatchObject({ assets: [{ id: body.id }] })
    await service.clock.leap(2 * 60_000)
    await until(() => expect(readdirSync(join(folder, 'assets'))).toEqual([body.id]))
  })
})
