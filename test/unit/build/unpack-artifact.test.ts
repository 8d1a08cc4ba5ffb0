import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createUnpacker } from '../../../src-main/build/unpack-artifact.ts'

const LIMITS = { bytes: 10_000_000, files: 1000 }

/** An archive with files small and large, and the folder that it is to be unpacked into. */
function setup() {
  const root = mkdtempSync(join(tmpdir(), 'drydock-unpack-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const source = join(root, 'source')
  mkdirSync(join(source, 'deep', 'er'), { recursive: true })
  writeFileSync(join(source, 'small.py'), 'x')
  writeFileSync(join(source, 'deep', 'er', 'large.bin'), Buffer.alloc(2 * 1024 * 1024))
  const file = join(root, 'a.tar.gz')
  execFileSync('tar', ['-czf', file, '-C', source, '.'])
  return { file, parent: join(root, 'unpacked'), folder: join(root, 'unpacked', 'app') }
}

test('all that is unpacked is brought onto the disk before its folder has its name, and then the name', async () => {
  const { file, parent, folder } = setup()
  const synced: { readonly paths: readonly string[]; readonly hasName: boolean }[] = []
  const unpack = createUnpacker(LIMITS, async (paths) => {
    const [begun = ''] = readdirSync(parent)
    const names = [...paths].map((path) => relative(join(parent, begun), path))
    synced.push({ paths: names.toSorted(), hasName: existsSync(folder) })
  })
  await unpack(file, folder, new AbortController().signal)
  expect(synced).toEqual([
    { paths: ['', 'deep', 'deep/er', 'deep/er/large.bin', 'small.py'], hasName: false },
    { paths: ['..'], hasName: true },
  ])
})

test('where the disk does not take it nothing is left', async () => {
  const { file, parent, folder } = setup()
  const unpack = createUnpacker(LIMITS, async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  await expect(unpack(file, folder, new AbortController().signal)).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(readdirSync(parent)).toEqual([])
})
