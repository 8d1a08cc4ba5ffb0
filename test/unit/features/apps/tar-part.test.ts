import { chmodSync, createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import {
  createMeter,
  OverLimit,
  type TarEntry,
  writePart,
} from '../../../../src-main/features/apps/adapters/tar-part.ts'
import { plant } from '../../../architecture/planted.ts'

const MIB = 1024 * 1024

/** Writes parts one after the other; what the archive has, and its bytes. */
async function archive(folder: string, parts: readonly (readonly TarEntry[])[], limit = Number.POSITIVE_INFINITY) {
  const path = join(folder, 'archive.tar.gz')
  const target = createWriteStream(path)
  const meter = createMeter(limit)
  for (const [at, entries] of parts.entries()) {
    await writePart(entries, target, { isLast: at === parts.length - 1, meter })
  }
  const bytes = readFileSync(path)
  expect(meter.bytes()).toBe(bytes.length)
  const found: { name: string; mode: number | undefined; time: number | undefined; content: Buffer }[] = []
  const reader = extract()
  reader.end(gunzipSync(bytes))
  for await (const entry of reader) {
    const pieces: Buffer[] = []
    for await (const piece of entry) pieces.push(Buffer.from(piece as Uint8Array))
    const { name, mode, mtime } = entry.header
    found.push({ name, mode, time: mtime?.getTime(), content: Buffer.concat(pieces) })
  }
  return { bytes, found }
}

test('parts make one archive, whose entries have fixed times and modes', async () => {
  const folder = plant({ 'run.sh': 'echo', 'a.txt': 'a', 'empty.txt': '' })
  chmodSync(join(folder, 'run.sh'), 0o700)
  const large = Buffer.alloc(3 * MIB + 5, 'model')
  writeFileSync(join(folder, 'model.bin'), large)
  const long = `${'deep/'.repeat(60)}ü.txt`
  const at = (name: string) => ({ name, path: join(folder, name) })
  const { found } = await archive(folder, [
    [at('run.sh'), { name: long, text: 'text' }],
    [at('model.bin'), at('empty.txt'), at('a.txt')],
  ])
  const time = Date.UTC(1980, 0, 1)
  expect(found).toEqual([
    { name: 'run.sh', mode: 0o755, time, content: Buffer.from('echo') },
    { name: long, mode: 0o644, time, content: Buffer.from('text') },
    { name: 'model.bin', mode: 0o644, time, content: large },
    { name: 'empty.txt', mode: 0o644, time, content: Buffer.alloc(0) },
    { name: 'a.txt', mode: 0o644, time, content: Buffer.from('a') },
  ])
})

test('the header says neither time nor system', async () => {
  const { bytes } = await archive(plant({}), [[{ name: 'a', text: 'a' }]])
  expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
})

test('a limit holds at the byte', async () => {
  const parts = [[{ name: 'a', text: 'a' }], [{ name: 'b', text: 'b' }]]
  const { bytes } = await archive(plant({}), parts)
  expect((await archive(plant({}), parts, bytes.length)).bytes.equals(bytes)).toBe(true)
  await expect(archive(plant({}), parts, bytes.length - 1)).rejects.toBeInstanceOf(OverLimit)
})

test('a file that cannot be read ends the archive with its name', async () => {
  const folder = plant({})
  await expect(archive(folder, [[{ name: 'gone.py', path: join(folder, 'gone.py') }]])).rejects.toMatchObject({
    problems: [{ code: 'FILE_UNREADABLE', file: 'gone.py' }],
  })
})
