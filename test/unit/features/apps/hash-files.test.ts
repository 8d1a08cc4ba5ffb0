import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashFiles } from '../../../../src-main/features/apps/adapters/hash-files.ts'
import { plant } from '../../../architecture/planted.ts'

const MIB = 1024 * 1024

/** The definition of the fingerprint, word by word. */
function expected(files: readonly (readonly [path: string, bytes: Buffer])[]): string {
  const hash = createHash('sha256')
  const length = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64BE(BigInt(value))
    return bytes
  }
  for (const [path, bytes] of files) {
    hash
      .update(length(Buffer.byteLength(path)))
      .update(path)
      .update(length(bytes.length))
      .update(bytes)
  }
  return hash.digest('hex')
}

test('the fingerprint is that of the definition, whatever the order and size of the files', async () => {
  const project = plant({ 'b.py': 'b = 1\n', 'a/ü.py': '', 'a.py': 'a' })
  const large = Buffer.alloc(MIB + 1, 'x')
  writeFileSync(join(project, 'model.bin'), large)
  const exact = Buffer.alloc(MIB, 'y')
  writeFileSync(join(project, 'm.bin'), exact)
  expect(await hashFiles(project, ['model.bin', 'b.py', 'a/ü.py', 'm.bin', 'a.py'])).toBe(
    expected([
      ['a.py', Buffer.from('a')],
      ['a/ü.py', Buffer.from('')],
      ['b.py', Buffer.from('b = 1\n')],
      ['m.bin', exact],
      ['model.bin', large],
    ]),
  )
})

test('bytes that move from one file to the next change it', async () => {
  const fingerprint = (files: Record<string, string>) => hashFiles(plant(files), Object.keys(files))
  expect(await fingerprint({ a: 'xy', b: 'z' })).not.toBe(await fingerprint({ a: 'x', b: 'yz' }))
})

test('a file that is missing is reported by name', async () => {
  await expect(hashFiles(plant({}), ['gone.py'])).rejects.toMatchObject({
    problems: [{ code: 'FILE_UNREADABLE', file: 'gone.py' }],
  })
})

test('many files are read in order, and an abort ends it', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`${String(at).padStart(3, '0')}.py`, `${at}`]),
  )
  const names = Object.keys(files)
  const sorted = names.map((name) => [name, Buffer.from(files[name] ?? '')] as const)
  const project = plant(files)
  expect(await hashFiles(project, names.toReversed())).toBe(expected(sorted))
  await expect(hashFiles(project, names, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})
