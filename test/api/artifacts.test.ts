import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup as setupService } from '../support/core.ts'

const CODE = gzipSync(Buffer.alloc(1000, 'code'))
const NAME = createHash('sha256').update(CODE).digest('hex')
const PATH = `/api/artifacts/${NAME}`
const BYTES = { 'content-type': 'application/octet-stream' }
const PART_BYTES = limit('artifactPartBytes')

async function setup() {
  const service = await setupService()
  const send = async (
    offset: number,
    part: Uint8Array,
    total = CODE.length,
    headers: Record<string, string> = BYTES,
  ) => {
    const { status, body } = await service.ask('PUT', `${PATH}?offset=${offset}&total=${total}`, {
      body: part,
      headers,
    })
    return { status, body }
  }
  return { ...service, send }
}

test('an artifact is missing, then sent part by part, and whole when its last part is here', async () => {
  const { get, send, storage } = await setup()
  expect(await get(PATH)).toEqual({ state: 'missing', received: 0 })
  const partial = { state: 'partial', received: 10, total: CODE.length }
  expect(await send(0, CODE.subarray(0, 10))).toEqual({ status: 200, body: partial })
  expect(await get(PATH)).toEqual(partial)
  const complete = { state: 'complete', received: CODE.length, total: CODE.length }
  expect(await send(10, CODE.subarray(10))).toEqual({ status: 200, body: complete })
  expect(await get(PATH)).toEqual(complete)
  expect(await storage().artifacts.find(NAME)).toEqual(expect.any(String))
})

test('a part from another place is refused and says from where to go on', async () => {
  const { send } = await setup()
  await send(0, CODE.subarray(0, 10))
  const { status, body } = await send(4, CODE.subarray(4))
  expect({ status, code: body.code, error: body.error }).toEqual({
    status: 409,
    code: 'UPLOAD_OFFSET',
    error: '10 bytes of the artifact were received. Continue from there.',
  })
})

test('bytes that are not what the name says are thrown away', async () => {
  const { get, send } = await setup()
  const wrong = gzipSync('other')
  expect(await send(0, wrong, wrong.length)).toMatchObject({ status: 422, body: { code: 'UPLOAD_DAMAGED' } })
  expect(await get(PATH)).toEqual({ state: 'missing', received: 0 })
})

test('an artifact above the limit is refused at its first part', async () => {
  const { send } = await setup()
  const total = limit('artifactBytes') + 1
  expect(await send(0, CODE, total)).toMatchObject({ status: 413, body: { code: 'UPLOAD_TOO_LARGE' } })
})

test.each([
  [-1, 200],
  [0, 200],
  [1, 400],
])('a part of the limit and %i bytes is answered with %i', async (more, status) => {
  const { send, get } = await setup()
  const part = Buffer.alloc(PART_BYTES + more)
  const answer = await send(0, part, 2 * PART_BYTES)
  expect(answer.status).toBe(status)
  if (status === 400) {
    expect(answer.body.error).toContain('8 MiB maximum of a part of an artifact')
    expect(await get(PATH)).toEqual({ state: 'missing', received: 0 })
  }
})

test('a name that is no SHA-256, or a place that is no number, is refused by its field', async () => {
  const { ask } = await setup()
  const refused = async (path: string) => (await ask('PUT', path, { body: CODE, headers: BYTES })).body.error
  expect(await refused('/api/artifacts/x?offset=0&total=1')).toBe('artifact: must be a SHA-256 in lower case hex.')
  expect(await refused(`/api/artifacts/${NAME.toUpperCase()}?offset=0&total=1`)).toMatch(/^artifact: /)
  expect(await refused(`${PATH}?total=1`)).toMatch(/^offset: /)
  expect(await refused(`${PATH}?offset=-1&total=1`)).toBe('offset: must be a number of bytes.')
  expect(await refused(`${PATH}?offset=0&total=1e3`)).toBe('total: must be a number of bytes.')
})

test('bytes are taken as bytes only', async () => {
  const { send, ask } = await setup()
  for (const type of ['application/json', 'text/plain', 'application/octet-streams', 'multipart/form-data; boundary=x'])
    expect(await send(0, CODE, CODE.length, { 'content-type': type })).toMatchObject({
      status: 415,
      body: { error: expect.stringContaining('this address takes application/octet-stream') },
    })
  const headers = { 'content-type': 'Application/Octet-Stream; x=y' }
  expect(await send(0, CODE, CODE.length, headers)).toMatchObject({ status: 200 })
  expect((await ask('POST', PATH, { body: CODE, headers: BYTES })).body.code).toBe('UNSUPPORTED_MEDIA_TYPE')
})

test('the document of the API describes the upload', async () => {
  const { get } = await setup()
  const { put } = (await get('/openapi.json')).paths['/api/artifacts/{artifact}']
  expect(put.requestBody).toEqual({
    required: true,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
})
