import { type Context, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src-main/contract/errors.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { readUpload } from '../../../../src-main/features/comfyui-api/routes/read-upload.ts'
import { assetsInMemory } from '../../../../src-main/features/workflows/store/asset-files.ts'
import { MIB } from '../../../../src-main/lib/units.ts'

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
type Receive = Parameters<typeof readUpload>[1]

const part = (field: string, name?: string) =>
  `--x\r\ncontent-disposition: form-data; name="${field}"${name === undefined ? '' : `; filename="${name}"`}\r\n\r\n`
const END = '\r\n--x--\r\n'

/** The answer is the text of the image and the fields; `refused` without an upload, or the code of an error. */
async function read(pieces: Pieces, receive: Receive = assetsInMemory().receive, headers = {}): Promise<unknown> {
  const app = new Hono()
  app.post('/', async (c: Context) => {
    const upload = await readUpload(c, receive).catch((error: AppError) => error.code)
    if (upload === undefined || typeof upload === 'string') return c.json(upload ?? 'refused')
    const { name, image, fields } = upload
    return c.json([name, Buffer.from(await image.read()).toString(), Object.fromEntries(fields)])
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
    ['has no image', [part('other', 'a.png'), 'bytes', END]],
    ['has an image without a name', [part('image', ''), 'bytes', END]],
    ['has text as an image', [part('image'), 'bytes', END]],
    ['has too long a field', [part('image', 'a.png'), 'b', '\r\n', part('subfolder'), 'a'.repeat(100_000), END]],
    ['has too many parts', [`${part('a')}\r\n`.repeat(51), part('image', 'a.png'), 'bytes', END]],
    ['is empty', []],
  ])('is refused if it %s', async (_how, pieces) => {
    expect(await read(pieces)).toBe('refused')
  })

  it('is refused if it is no form', async () => {
    expect(await read([END], undefined, { 'content-type': 'text/plain' })).toBe('refused')
    expect(await read([END], undefined, { 'content-type': 'multipart/form-data' })).toBe('refused')
  })

  it('is too large by its header, or once too much has come', async () => {
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
  })
})
