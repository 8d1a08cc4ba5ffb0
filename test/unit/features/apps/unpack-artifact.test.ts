import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limit } from '../../../../src-main/contract/limits.ts'
import { MANIFEST_FILE } from '../../../../src-main/contract/manifest.ts'
import { createUnpacker, readManifest } from '../../../../src-main/features/apps/adapters/unpack-artifact.ts'

const LIMITS = { bytes: 10_000_000, files: 1000 }

/** Small and large files, a function that packs them into an archive, and the folder to unpack it into. */
function setup() {
  const root = mkdtempSync(join(tmpdir(), 'drydock-unpack-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const source = join(root, 'source')
  mkdirSync(join(source, 'deep', 'er'), { recursive: true })
  writeFileSync(join(source, 'small.py'), 'x')
  writeFileSync(join(source, 'deep', 'er', 'large.bin'), Buffer.alloc(2 * 1024 * 1024))
  const file = join(root, 'a.tar.gz')
  const pack = () => {
    execFileSync('tar', ['-czf', file, '-C', source, '.'])
    return file
  }
  return { source, pack, parent: join(root, 'unpacked'), folder: join(root, 'unpacked', 'app') }
}

test('all that is unpacked is brought onto the disk before its folder has its name, and then the name', async () => {
  const { pack, parent, folder } = setup()
  const synced: { readonly paths: readonly string[]; readonly hasName: boolean }[] = []
  const unpack = createUnpacker(LIMITS, async (paths) => {
    const [begun = ''] = readdirSync(parent)
    const names = [...paths].map((path) => relative(join(parent, begun), path))
    synced.push({ paths: names.toSorted(), hasName: existsSync(folder) })
  })
  await unpack(pack(), folder, new AbortController().signal)
  expect(synced).toEqual([
    { paths: ['', 'deep', 'deep/er', 'deep/er/large.bin', 'small.py'], hasName: false },
    { paths: ['..'], hasName: true },
  ])
})

test('where the disk does not take it nothing is left', async () => {
  const { pack, parent, folder } = setup()
  const unpack = createUnpacker(LIMITS, async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  await expect(unpack(pack(), folder, new AbortController().signal)).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(readdirSync(parent)).toEqual([])
})

test('files keep their times, so that Python uses their compiled files', async () => {
  const { source, pack, folder } = setup()
  writeFileSync(join(source, 'greeting.py'), 'TEXT = "hello"\n')
  const time = new Date(Date.UTC(2024, 4, 5, 6, 7, 8))
  for (const name of ['greeting.py', 'deep/er/large.bin']) utimesSync(join(source, name), time, time)
  execFileSync('python3', ['-m', 'compileall', '-q', '--invalidation-mode', 'timestamp', source])
  await createUnpacker(LIMITS)(pack(), folder, new AbortController().signal)
  for (const name of ['greeting.py', 'deep/er/large.bin']) expect(statSync(join(folder, name)).mtime).toEqual(time)
  const python = spawnSync('python3', ['-v', '-B', '-c', 'import greeting'], { cwd: folder, encoding: 'utf8' })
  expect(python.stderr).toMatch(/greeting\.[^ ]*\.pyc matches /)
})

test('the fixed time of reproducible builds and times in the future are not kept', async () => {
  const { source, pack, folder } = setup()
  const begun = Math.floor(Date.now() / 1000) * 1000
  for (const [name, time] of [
    ['small.py', Date.UTC(1980, 0, 1)],
    ['deep/er/large.bin', begun + 3_600_000],
  ] as const)
    utimesSync(join(source, name), new Date(time), new Date(time))
  await createUnpacker(LIMITS)(pack(), folder, new AbortController().signal)
  for (const name of ['small.py', 'deep/er/large.bin']) {
    const { mtimeMs } = statSync(join(folder, name))
    expect(mtimeMs).toBeGreaterThanOrEqual(begun)
    expect(mtimeMs).toBeLessThan(begun + 3_600_000)
  }
})

test('a manifest is read up to its limit', async () => {
  const { source } = setup()
  const write = (bytes: number) => writeFileSync(join(source, MANIFEST_FILE), ' '.repeat(bytes))
  write(limit('manifestBytes'))
  expect(await readManifest(source)).toHaveLength(limit('manifestBytes'))
  write(limit('manifestBytes') + 1)
  await expect(readManifest(source)).rejects.toMatchObject({ code: 'BAD_FIELD', data: { field: MANIFEST_FILE } })
})
