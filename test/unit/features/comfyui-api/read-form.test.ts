import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../../../src-main/contract/errors.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { readForm, uploadedBody } from '../../../../src-main/features/comfyui-api/routes/read-form.ts'
import { assetsInMemory, openAssetFiles } from '../../../../src-main/features/workflows/store/asset-files.ts'
import { MIB } from '../../../../src-main/lib/units.ts'

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
type Receive = ReturnType<typeof assetsInMemory>['receive']

const part = (field: string, name?: string) =>
  `--x\r\ncontent-disposition: form-data; name="${field}"${name === undefined ? '' : `; filename="${name}"`}\r\n\r\n`
const END = '\r\n--x--\r\n'

/** The answer is the name and text of each image, and the fields; `refused` without an upload, or the code of an error. */
async function read(pieces: Pieces, receive: Receive = assetsInMemory().receive, headers = {}): Promise<unknown> {
  const app = new Hono()
  app.post('/', async (c: Context) => {
    const reading = readForm(c, {
      body: uploadedBody(c),
      receive: (field, arriving) => (field === 'image' ? receive(arriving) : undefined),
    })
    const form = await reading.catch((error: AppError) => error.code)
    if (form === undefined || typeof form === 'string') return c.json(form ?? 'refused')
    const texts = form.files.map(async ({ name, received }) => [name, Buffer.from(await received.read()).toString()])
    return c.json([...(await Promise.all(texts)).flat(), Object.fromEntries(form.fields)])
  })
  const body = ReadableStream.from(bytesOf(pieces))
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  const request = new Request('http://localhost/', {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { ...type, ...headers },
  })
  return (await app.fetch(request)).json()
}

async function* bytesOf(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

describe('an upload', () => {
  it('arrives with its fields, whatever their order', async () => {
    const pieces = [
      part('subfolder'),
      'a',
      '\r\n',
      part('image', 'ö.png'),
      'bytes',
      '\r\n',
      part('overwrite'),
      '1',
      END,
    ]
    expect(await read(pieces)).toEqual(['ö.png', 'bytes', { subfolder: 'a', overwrite: '1' }])
  })

  it('has several files, each with its own name', async () => {
    const pieces = [
      part('image', 'a/b.png'),
      '1',
      '\r\n',
      part('mask', 'm.png'),
      '2',
      '\r\n',
      part('image', ''),
      '3',
      END,
    ]
    expect(await read(pieces)).toEqual(['a/b.png', '1', '', '3', {}])
  })

  it('is received while it is sent', async () => {
    const { promise: seen, resolve: see } = Promise.withResolvers<void>()
    async function* body() {
      yield part('image', 'a.png')
      yield Buffer.alloc(MIB, 'a')
      await seen
      yield END
    }
    const { receive } = assetsInMemory()
    async function* watched(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        see()
        yield piece
      }
    }
    expect(await read(body(), (pieces) => receive(watched(pieces)))).toEqual(['a.png', 'a'.repeat(MIB), {}])
  })

  it.each<[string, string[]]>([
    ['ends early', [part('image', 'a.png'), 'bytes']],
    ['has too long a field', [part('image', 'a.png'), 'b', '\r\n', part('subfolder'), 'a'.repeat(100_000), END]],
    ['has too many parts', [`${part('a')}\r\n`.repeat(51), part('image', 'a.png'), 'bytes', END]],
    ['is empty', []],
  ])('is refused if it %s', async (_how, pieces) => {
    expect(await read(pieces)).toBe('refused')
  })

  it('is refused if it ends before its receiver begins', async () => {
    const late: Receive = async (pieces) => {
      await nextTurn()
      return assetsInMemory().receive(pieces)
    }
    expect(await read([part('image', 'a.png'), 'bytes'], late)).toBe('refused')
  })

  it('leaves neither a file nor an unhandled error if it ends early on disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-upload-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { receive } = openAssetFiles(folder)
    for (const cut of ['bytes\r\n', 'bytes', ''])
      expect(await read([part('image', 'a.png') + cut], receive)).toBe('refused')
    await nextTurn()
    expect(await readdir(join(folder, 'assets'))).toEqual([])
  })

  it('is refused if it is no form', async () => {
    expect(await read([END], undefined, { 'content-type': 'text/plain' })).toBe('refused')
    expect(await read([END], undefined, { 'content-type': 'multipart/form-data' })).toBe('refused')
  })

  it('is too large by its header, or once too much has arrived', async () => {
    const most = limit('comfyuiUploadBytes')
    expect(await read([], undefined, { 'content-length': String(most + 1) })).toBe('BODY_TOO_LARGE')
    let given = 0
    let isDropped = false
    function* endless() {
      yield part('image', 'a.png')
      for (const piece = Buffer.alloc(MIB); ; given += MIB) yield piece
    }
    const receive: Receive = async (pieces) => {
      try {
        for await (const _piece of pieces);
      } finally {
        isDropped = true
      }
      throw new Error('the body has no end')
    }
    expect(await read(endless(), receive)).toBe('BODY_TOO_LARGE')
    expect(given).toBeLessThan(most + 2 * MIB)
    await expect.poll(() => isDropped).toBe(true)
  })

  it('fails with the error of its receiver', async () => {
    const receive: Receive = async () => {
      throw new AppError('DISK_FULL', {})
    }
    function* long() {
      yield part('image', 'a.png')
      for (let at = 0; at < 10; at++) yield Buffer.alloc(MIB)
      yield END
    }
    expect(await read(long(), receive)).toBe('DISK_FULL')
    const failAtTheEnd: Receive = async (pieces) => {
      for await (const _piece of pieces);
      throw new AppError('DISK_FULL', {})
    }
    expect(await read([part('image', 'a.png'), 'bytes', END], failAtTheEnd)).toBe('DISK_FULL')
  })
})
