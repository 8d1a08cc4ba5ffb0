import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashFolder } from '../../../../src-main/features/worker-images/adapters/git-source.ts'
import {
  createContextPacker,
  unpackContext,
} from '../../../../src-main/features/worker-images/adapters/pack-context.ts'
import type { ContextSource } from '../../../../src-main/features/worker-images/rules/dockerfile.ts'
import { temporaryFolder } from '../../app/cli/support.ts'
import { commitFiles, git, writeFiles } from './git-folders.ts'

const env = process.env

function setup() {
  const folder = temporaryFolder()
  const lockFolder = join(folder, 'project')
  writeFiles(lockFolder, { 'cat.json': '{}' })
  const packed = join(folder, 'packed')
  const packContext = createContextPacker({ lockFolder, env, modelFile: (name) => name })
  return {
    folder,
    lockFolder,
    packed,
    pack: (source: ContextSource) =>
      unpackContext(
        packContext({ dockerfile: 'FROM scratch\n', files: [] }, [source], new AbortController().signal),
        packed,
      ),
  }
}

test('a foreign repository runs no program of its settings', async () => {
  const { lockFolder, packed, pack } = setup()
  const repository = join(lockFolder, 'ink')
  const mark = join(lockFolder, 'mark')
  const commit = commitFiles(repository, { 'a.py': 'A = 1\n', '.gitattributes': '*.py filter=evil\n' })
  git(repository, 'config', 'filter.evil.smudge', `sh -c 'touch ${mark}; cat'`)
  await pack({ path: 'sources/nodes/ink', repository: 'ink', commit })
  expect(readFileSync(join(packed, 'sources/nodes/ink/a.py'), 'utf8')).toBe('A = 1\n')
  expect(existsSync(mark)).toBe(false)
})

test('missing files of a foreign repository are not fetched by its own program', async () => {
  const { lockFolder, pack } = setup()
  const repository = join(lockFolder, 'ink')
  const mark = join(lockFolder, 'mark')
  commitFiles(repository, { 'a.py': 'A = 1\n' })
  const settings = { promisor: 'true', url: lockFolder, uploadpack: `touch ${mark};` }
  for (const [name, value] of Object.entries(settings)) git(repository, 'config', `remote.origin.${name}`, value)
  git(repository, 'config', 'core.repositoryformatversion', '1')
  git(repository, 'config', 'extensions.partialclone', 'origin')
  await expect(pack({ path: 'sources/nodes/ink', repository: 'ink', commit: 'a'.repeat(40) })).rejects.toThrow()
  expect(existsSync(mark)).toBe(false)
})

test('a lock that was copied without its packages says where they have to be', async () => {
  const { pack } = setup()
  const why = 'cannot be read: there is no folder'
  await expect(pack({ path: 'a', repository: './ink', commit: 'a'.repeat(40) })).rejects.toThrow(`./ink ${why}`)
  await expect(pack({ path: 'a', nodes: './ink', sha256: undefined })).rejects.toThrow(`./ink ${why} ./ink.`)
})

test('a folder outside of that of the lock is copied only if it is the one that was locked', async () => {
  const { folder, lockFolder, packed, pack } = setup()
  writeFiles(join(folder, 'keys'), { id: 'private' })
  symlinkSync('../keys', join(lockFolder, 'link'))
  for (const nodes of ['../keys', join(folder, 'keys'), 'link'])
    await expect(pack({ path: 'sources/nodes/a', nodes, sha256: undefined })).rejects.toThrow('outside the folder')
  const sha256 = await hashFolder(join(folder, 'keys'))
  await pack({ path: 'sources/nodes/a', nodes: '../keys', sha256 })
  expect(readFileSync(join(packed, 'sources/nodes/a/id'), 'utf8')).toBe('private')
  writeFiles(join(lockFolder, 'own'), { 'a.py': '' })
  await pack({ path: 'sources/nodes/b', nodes: './own', sha256: undefined })
  expect(existsSync(join(packed, 'sources/nodes/b/a.py'))).toBe(true)
})
