import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bytesInMemory, openStoredBytes } from '../../../src-main/database/stored-bytes.ts'

const BYTES = new Uint8Array(300_000).map((_, at) => at % 251)
const PIECE = 128 * 1024

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'payload'), BYTES)
  return join(folder, 'payload')
}

const all = async (pieces: AsyncIterable<Uint8Array> | undefined) => Array.fromAsync(pieces ?? [])
const isOpen = (path: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    const link = `/proc/self/fd/${fd}`
    return existsSync(link) && readlinkSync(link) === path
  })

it('a file is read in pieces, each time from its beginning, or only a part of it', async () => {
  const file = await openStoredBytes(aFile())
  expect(file?.bytes).toBe(BYTES.length)
  for (let time = 0; time < 2; time++) {
    const pieces = await all(file?.read())
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(PIECE)
    expect(Buffer.concat(pieces).equals(BYTES)).toBe(true)
  }
  const part = Buffer.concat(await all(file?.read({ start: 1000, end: 200_000 })))
  expect(part.equals(BYTES.subarray(1000, 200_000))).toBe(true)
  const inMemory = Buffer.concat(await all(bytesInMemory(BYTES).read({ start: 1000, end: 200_000 })))
  expect(inMemory.equals(part)).toBe(true)
})

it('a file that is missing is not opened', async () => {
  expect(await openStoredBytes(`${aFile()}-not`)).toBe(undefined)
})

it('a file that is deleted while it is read is read to its end', async () => {
  const path = aFile()
  const file = await openStoredBytes(path)
  const pieces: Uint8Array[] = []
  for await (const piece of file?.read() ?? []) {
    pieces.push(piece)
    rmSync(path, { force: true })
  }
  expect(Buffer.concat(pieces).equals(BYTES)).toBe(true)
})

it('nothing stays open, whether it was read, left half-read, or not read', async ({ skip }) => {
  skip(process.platform !== 'linux', 'no /proc')
  const path = aFile()
  const file = await openStoredBytes(path)
  file?.read()
  expect(isOpen(path)).toBe(false)
  for await (const _piece of file?.read() ?? []) {
    expect(isOpen(path)).toBe(true)
    break
  }
  expect(isOpen(path)).toBe(false)
})

it('bytes in memory are copied piece by piece, from the file once they are gone, and dropped at the end', async () => {
  const path = aFile()
  let held: Uint8Array<ArrayBuffer> | undefined = BYTES
  const drops: number[] = []
  const file = await openStoredBytes(path, { look: () => held, drop: () => void drops.push(1) })
  const pieces: Uint8Array[] = []
  for await (const piece of file?.read() ?? []) {
    expect(piece.buffer.byteLength).toBeLessThanOrEqual(PIECE)
    pieces.push(piece)
    held = undefined
  }
  expect(Buffer.concat(pieces).equals(BYTES)).toBe(true)
  expect(drops).toEqual([1])
})
