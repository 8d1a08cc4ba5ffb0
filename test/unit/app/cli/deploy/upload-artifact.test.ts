import { createHash, randomBytes } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../../../src-main/app/cli/client.ts'
import { uploadArtifact } from '../../../../../src-main/features/apps/commands/deploy/upload-artifact.ts'
import { temporaryFolder } from '../support.ts'

const PART = 1024

/** A fault of the service at the n-th part (from 0), which it does not keep. */
type Fault = 'cut before' | 'cut after' | 'offset' | 'proxy' | 'stopping' | 'damaged'

/** A small service that keeps artifacts as the real one does, with faults, and the upload of a file to it. */
async function setup({
  bytes,
  here = 0,
  faults = {},
}: {
  bytes: number
  here?: number
  faults?: Record<number, Fault>
}) {
  const content = randomBytes(bytes)
  const sha256 = createHash('sha256').update(content).digest('hex')
  let kept = content.subarray(0, here)
  let parts = 0
  const puts: { readonly offset: number; readonly bytes: number; readonly total: number }[] = []
  const pauses: number[] = []
  const status = () => {
    if (kept.length === bytes) return { state: 'complete', received: bytes, total: bytes }
    return kept.length === 0
      ? { state: 'missing', received: 0 }
      : { state: 'partial', received: kept.length, total: bytes }
  }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const part = Buffer.concat(pieces)
    const answer = (code: number, body: unknown) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (code: number, word: string) => answer(code, { error: word, code: word, status: code })
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    expect(pathname).toBe(`/api/artifacts/${sha256}`)
    if (request.method === 'GET') return answer(200, status())
    expect(request.headers['content-type']).toBe('application/octet-stream')
    const [offset, total] = [Number(searchParams.get('offset')), Number(searchParams.get('total'))]
    puts.push({ offset, bytes: part.length, total })
    const fault = faults[parts++]
    if (fault === 'cut before') return response.destroy()
    if (fault === 'offset') return refuse(409, 'UPLOAD_OFFSET')
    if (fault === 'proxy') return response.writeHead(502, { 'content-type': 'text/html' }).end('<html>')
    if (fault === 'stopping') return refuse(503, 'STOPPING')
    if (fault === 'damaged') return refuse(422, 'UPLOAD_DAMAGED')
    expect(offset).toBe(kept.length)
    kept = Buffer.concat([kept, part])
    return fault === 'cut after' ? response.destroy() : answer(200, status())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address() as { port: number }
  const file = join(temporaryFolder(), 'artifact.tar.gz')
  writeFileSync(file, content)
  const shown: number[] = []
  const given = {
    client: createClient({ url: `http://127.0.0.1:${address.port}`, key: 'k' }),
    pause: async (ms: number) => void pauses.push(ms),
    onProgress: (received: number) => void shown.push(received),
    partBytes: PART,
  }
  const upload = () => uploadArtifact(given, { file, sha256, bytes })
  return { file, upload, puts, pauses, shown, isWhole: () => kept.equals(content) }
}

test.each([
  [1, [1]],
  [PART - 1, [PART - 1]],
  [PART, [PART]],
  [PART + 1, [PART, 1]],
])('an artifact of %i bytes goes in parts of %j', async (bytes, sizes) => {
  const { upload, puts, shown, isWhole } = await setup({ bytes })
  expect(await upload()).toBe(bytes)
  expect(puts.map((put) => put.bytes)).toEqual(sizes)
  expect(puts.every(({ total }) => total === bytes)).toBe(true)
  expect(shown.at(-1)).toBe(bytes)
  expect(isWhole()).toBe(true)
})

test('an artifact that is there is not sent', async () => {
  const { upload, puts } = await setup({ bytes: 100, here: 100 })
  expect({ sent: await upload(), puts }).toEqual({ sent: 0, puts: [] })
})

test('an upload continues where an earlier one was cut off', async () => {
  const { upload, puts, isWhole } = await setup({ bytes: 100, here: 40 })
  expect(await upload()).toBe(60)
  expect(puts).toEqual([{ offset: 40, bytes: 60, total: 100 }])
  expect(isWhole()).toBe(true)
})

test.each([
  ['breaks before a part is kept', 'cut before'],
  ['is to go on elsewhere', 'offset'],
  ['meets a proxy that reaches nobody', 'proxy'],
  ['meets a service that is starting again', 'stopping'],
] as const)('an upload that %s asks where to go on, and sends the part again', async (_what, fault) => {
  const { upload, puts, pauses, isWhole } = await setup({ bytes: 100, faults: { 0: fault } })
  expect(await upload()).toBe(100)
  expect(puts.map(({ offset }) => offset)).toEqual([0, 0])
  expect(pauses).toEqual([250])
  expect(isWhole()).toBe(true)
})

test('a part whose answer is lost is not sent twice, and parts get smaller', async () => {
  const { upload, puts, isWhole } = await setup({ bytes: 2 * PART, faults: { 0: 'cut after' } })
  await upload()
  expect(puts.map(({ offset, bytes }) => [offset, bytes])).toEqual([
    [0, PART],
    [PART, PART / 2],
    [PART * 1.5, PART / 2],
  ])
  expect(isWhole()).toBe(true)
})

test('it is tried five times without progress, and then given up', async () => {
  const faults = { 0: 'offset', 1: 'offset', 2: 'offset', 3: 'offset', 4: 'offset' } as const
  const { upload, puts, pauses } = await setup({ bytes: 100, faults })
  await expect(upload()).rejects.toMatchObject({ code: 'SERVICE_REFUSED', body: { code: 'UPLOAD_OFFSET' } })
  expect(puts).toHaveLength(5)
  expect(pauses).toEqual([250, 500, 1000, 2000])
})

test('progress makes the count begin again', async () => {
  const faults = { 0: 'offset', 1: 'offset', 2: 'offset', 3: 'offset', 5: 'offset', 6: 'offset', 7: 'offset' } as const
  const { upload, isWhole } = await setup({ bytes: 2 * PART, faults })
  await upload()
  expect(isWhole()).toBe(true)
})

test('an artifact that arrived damaged is not sent again', async () => {
  const { upload, puts } = await setup({ bytes: 100, faults: { 0: 'damaged' } })
  await expect(upload()).rejects.toMatchObject({ body: { code: 'UPLOAD_DAMAGED' } })
  expect(puts).toHaveLength(1)
})

test('a file that became shorter is an error', async () => {
  const { file, upload } = await setup({ bytes: 100 })
  truncateSync(file, 50)
  await expect(upload()).rejects.toMatchObject({
    code: 'UPLOAD_FAILED',
    message: 'The artifact was not uploaded: the file changed while it was sent; deploy again. Nothing was changed.',
  })
})
