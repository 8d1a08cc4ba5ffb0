import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'
import { buildIdOf, FINALIZE, platformTools } from '../support/platform-tools.ts'

const ARTIFACT = gzipSync('an artifact of some app')

async function setup() {
  const tools = await platformTools()
  await tools.place()
  /** Status and code of what a PUT is answered with. */
  const send = async (url: string, bytes: Uint8Array = ARTIFACT, headers: Record<string, string> = {}) => {
    const answer = await tools.put(url, bytes, headers)
    const text = await answer.text()
    return { status: answer.status, code: text === '' ? undefined : JSON.parse(text).code }
  }
  return { ...tools, send }
}

const TAKEN = { status: 200, code: undefined }
const UNKNOWN = { status: 404, code: 'UPLOAD_UNKNOWN' }
const DAMAGED = { status: 422, code: 'UPLOAD_DAMAGED' }

describe('the address for an artifact', () => {
  it('is random, and takes one artifact without a key', async () => {
    const { prepare, send, read, finalizing, service } = await setup()
    const [one, two] = [await prepare(ARTIFACT.length), await prepare(ARTIFACT.length)]
    expect(one.uploadUrl).not.toBe(two.uploadUrl)
    expect(one.objectKey).toMatch(/^[\w-]{40,}$/)
    expect(one.expiresAt).toBe(new Date(TEST_EPOCH + limit('uploadMs')).toISOString())
    expect(await send(one.uploadUrl)).toEqual(TAKEN)
    expect(await send(one.uploadUrl)).toEqual(UNKNOWN)
    const { id } = (await read(FINALIZE, finalizing(one.objectKey))).finalizeFlashArtifactUpload
    expect(id).toBe(buildIdOf(ARTIFACT))
    expect(await service.get(`/api/artifacts/${id}`)).toMatchObject({ state: 'complete' })
    expect(await send(one.uploadUrl)).toEqual(UNKNOWN)
  })

  it('takes nothing that was not announced, and can be tried again', async () => {
    const { prepare, send } = await setup()
    const { uploadUrl } = await prepare(ARTIFACT.length)
    expect(await send(uploadUrl, ARTIFACT.subarray(0, -1))).toEqual(DAMAGED)
    expect(await send(uploadUrl, new Uint8Array())).toEqual(DAMAGED)
    expect(await send(uploadUrl, Buffer.alloc(ARTIFACT.length, 'x'))).toEqual(DAMAGED)
    expect((await send(uploadUrl, Buffer.concat([ARTIFACT, ARTIFACT]))).status).toBe(413)
    expect(await send(uploadUrl)).toEqual(TAKEN)
  })

  it('takes one upload at a time, and another after one that broke off', async () => {
    const { prepare, send, service } = await setup()
    const { uploadUrl } = await prepare(ARTIFACT.length)
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const first = service.request('PUT', new URL(uploadUrl).pathname, {
      key: null,
      stream: body.readable,
      headers: { 'content-type': 'application/gzip' },
    })
    await writer.write(ARTIFACT.subarray(0, 5))
    expect(await send(uploadUrl)).toEqual(UNKNOWN)
    await writer.abort(new Error('the connection broke'))
    expect((await first).status).not.toBe(200)
    expect(await send(uploadUrl)).toEqual(TAKEN)
  })

  it('continues with what came before the connection broke, at its end and nowhere else', async () => {
    const { prepare, send, put, service, read, finalizing } = await setup()
    const { uploadUrl, objectKey } = await prepare(ARTIFACT.length)
    const path = new URL(uploadUrl).pathname
    const status = () => service.ask('GET', path, { key: null })
    expect((await status()).body).toEqual({ received: 0, total: ARTIFACT.length })
    const broken = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(ARTIFACT.subarray(0, 5)),
      pull: (stream) => stream.error(new Error('the connection broke')),
    })
    const headers = { 'content-type': 'application/gzip' }
    expect((await service.request('PUT', path, { key: null, stream: broken, headers })).status).toBe(503)
    const { received } = (await status()).body
    expect(received).toBe(5)
    const rest = (from: number) => ({ 'content-range': `bytes ${from}-${ARTIFACT.length - 1}/${ARTIFACT.length}` })
    expect((await send(uploadUrl, ARTIFACT.subarray(4), rest(4))).code).toBe('UPLOAD_OFFSET')
    expect((await send(uploadUrl, ARTIFACT, { 'content-range': 'bytes 5-' })).code).toBe('BAD_FIELD')
    expect((await put(uploadUrl, ARTIFACT.subarray(5), rest(5))).status).toBe(200)
    const { id } = (await read(FINALIZE, finalizing(objectKey))).finalizeFlashArtifactUpload
    expect(id).toBe(buildIdOf(ARTIFACT))
    expect(await status()).toMatchObject({ status: 404, body: { code: 'UPLOAD_UNKNOWN' } })
  })

  it('is not given out for more than the largest artifact', async () => {
    const { query } = await setup()
    const text = `mutation ($size: Float!) {
      prepareFlashArtifactUpload(input: { flashAppId: "shop", tarballSize: $size }) { objectKey }
    }`
    const { errors } = (await query(text, { variables: { size: limit('artifactBytes') + 1 } })).body
    expect(errors).toMatchObject([{ extensions: { code: 'UPLOAD_TOO_LARGE' } }])
    expect((await query(text, { variables: { size: limit('artifactBytes') } })).body.errors).toBeUndefined()
  })

  it('ends after an hour', async () => {
    const { prepare, send, refusal, finalizing, service } = await setup()
    const [late, taken] = [await prepare(ARTIFACT.length), await prepare(ARTIFACT.length)]
    await service.clock.advance(limit('uploadMs') - 1)
    expect(await send(taken.uploadUrl)).toEqual(TAKEN)
    await service.clock.advance(1)
    expect(await send(late.uploadUrl)).toEqual(UNKNOWN)
    expect(await refusal(FINALIZE, finalizing(taken.objectKey))).toMatch(/^This upload address is not valid/)
  })

  it('makes room for newer ones', async () => {
    const { prepare, send } = await setup()
    const oldest = await prepare(ARTIFACT.length)
    const next = await prepare(ARTIFACT.length)
    for (let more = 1; more < limit('uploadsAtOnce'); more++) await prepare(1)
    expect(await send(oldest.uploadUrl)).toEqual(UNKNOWN)
    expect(await send(next.uploadUrl)).toEqual(TAKEN)
  })

  it('is of one app, and ends with an artifact', async () => {
    const { place, prepare, send, refusal, read, finalizing } = await setup()
    await place('blog')
    const { uploadUrl, objectKey } = await prepare(ARTIFACT.length)
    expect(await refusal(FINALIZE, finalizing(objectKey))).toMatch(/^This upload address is not valid/)
    await send(uploadUrl)
    expect(await refusal(FINALIZE, finalizing(objectKey, 'blog'))).toMatch(/^This upload address is not valid/)
    expect(await refusal(FINALIZE, finalizing(objectKey, 'nope'))).toBe('The app nope was not found.')
    expect((await read(FINALIZE, finalizing(objectKey))).finalizeFlashArtifactUpload.manifest).toEqual({})
    expect(await refusal(FINALIZE, finalizing(objectKey))).toMatch(/^This upload address is not valid/)
  })

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }, 'FORBIDDEN_ORIGIN'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN_ORIGIN'],
    ['another host', { host: 'evil.example' }, 'FORBIDDEN_HOST'],
    ['a form', { 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('takes nothing from %s', async (_what, headers, code) => {
    const { prepare, send } = await setup()
    const { uploadUrl } = await prepare(ARTIFACT.length)
    expect((await send(uploadUrl, ARTIFACT, headers)).code).toBe(code)
    expect(await send(uploadUrl)).toEqual(TAKEN)
  })

  it('is no other than the one that was given out', async () => {
    const { send } = await setup()
    expect(await send(`http://127.0.0.1:8790/uploads/${randomBytes(32).toString('base64url')}`)).toEqual(UNKNOWN)
  })
})
