import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { assetsInMemory, openAssetFiles } from '../../../../src-main/features/workflows/store/asset-files.ts'

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
const BYTES = new TextEncoder().encode('words')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'drydock-assets-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe.each([
  ['in a folder', () => openAssetFiles(folder())],
  ['in memory', assetsInMemory],
])('files %s', (_place, open) => {
  it('are kept, read, removed, and told apart', async () => {
    const files = open()
    expect(await files.read(A)).toBe(undefined)
    await Promise.all([files.store(A, BYTES), files.store(A, BYTES), files.store(B, new Uint8Array(5_000_000))])
    expect(new Uint8Array((await files.read(A)) ?? [])).toEqual(BYTES)
    expect((await files.read(B))?.length).toBe(5_000_000)
    expect([...(await files.olderThan(Number.MAX_SAFE_INTEGER))].sort()).toEqual([A, B])
    await files.remove([A, 'c'.repeat(64)])
    expect([await files.read(A), (await files.read(B))?.length]).toEqual([undefined, 5_000_000])
    await files.close()
  })
})

describe.each([
  ['in a folder', () => openAssetFiles(folder())],
  ['in memory', assetsInMemory],
])('a file that is received %s', (_place, open) => {
  it('is kept under its hash once `store` was called, also after it had been removed', async () => {
    const files = open()
    const received = await files.receive(ReadableStream.from([BYTES.subarray(0, 2), BYTES.subarray(2)]))
    const id = createHash('sha256').update(BYTES).digest('hex')
    expect([received.id, received.bytes, Buffer.from(received.head)]).toEqual([id, BYTES.length, Buffer.from(BYTES)])
    expect(await files.read(id)).toBe(undefined)
    await received.store()
    await files.remove([id])
    await received.store()
    await received.drop()
    expect(new Uint8Array((await files.read(id)) ?? [])).toEqual(BYTES)
    expect(await files.olderThan(Number.MAX_SAFE_INTEGER)).toEqual([id])
  })
})

describe('a folder of files', () => {
  it('keeps nothing of a file that stops coming', async () => {
    const data = folder()
    async function* pieces() {
      yield BYTES
      throw new Error('gone')
    }
    await expect(openAssetFiles(data).receive(pieces())).rejects.toThrow('gone')
    expect(readdirSync(join(data, 'assets'))).toEqual([])
  })

  it('is closed to others, and holds nothing but whole files', async () => {
    const data = folder()
    const files = openAssetFiles(data)
    await files.store(A, BYTES)
    expect(readdirSync(join(data, 'assets'))).toEqual([A])
    expect(statSync(join(data, 'assets')).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, 'assets', A)).mode & 0o777).toBe(0o600)
  })

  it('tells of files that were written before a time', async () => {
    const files = openAssetFiles(folder())
    await files.store(A, BYTES)
    expect(await files.olderThan(Date.now() - 60_000)).toEqual([])
    expect(await files.olderThan(Date.now() + 60_000)).toEqual([A])
  })

  it('that cannot be made is an error with a reason', async () => {
    const data = folder()
    writeFileSync(join(data, 'assets'), 'a file is in its place')
    const error = await openAssetFiles(data)
      .store(A, BYTES)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'DATABASE_BUSY',
      message: expect.stringContaining('an asset could not be stored ('),
    })
  })
})
