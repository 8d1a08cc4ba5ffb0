import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDurableWriter } from '../../../src-main/database/write-files.ts'

const PIECE = 4 * 1024 * 1024
const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 31) % 251))

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { path: (name: string) => join(folder, name), write: createDurableWriter() }
}

for (const length of [0, 1, 4095, 4096, 4097, PIECE - 1, PIECE, PIECE + 1]) {
  it(`writes ${length} bytes, no more and no less`, async () => {
    const { path, write } = setup()
    const bytes = bytesOf(length)
    await write(path('a'), bytes)
    expect(bytes.equals(readFileSync(path('a')))).toBe(true)
    expect(statSync(path('a')).mode & 0o777).toBe(0o600)
  })
}

it('keeps files apart that are written at the same time, and continues after one that failed', async () => {
  const { path, write } = setup()
  const all = ['a', 'b', 'c'].map((name, at) => ({ name, bytes: bytesOf(5000 + at) }))
  const writes = all.map(({ name, bytes }) => write(path(name), bytes))
  const failed = write(path('no-folder/d'), bytesOf(9))
  const again = write(path('a'), bytesOf(9))
  await expect(failed).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(again).rejects.toMatchObject({ code: 'EEXIST' })
  await Promise.all(writes)
  for (const { name, bytes } of all) expect(bytes.equals(readFileSync(path(name)))).toBe(true)
})
