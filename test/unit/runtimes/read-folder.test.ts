import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashCache, readFolder } from '../../../src-main/runtimes/remote/read-folder.ts'

function setup(files: readonly string[]) {
  const path = mkdtempSync(join(tmpdir(), 'drydock-read-folder-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  for (const file of files) write(file, file)
  const read = async (kind: 'packed' | 'project') => {
    const times = { now: () => 0, signal: new AbortController().signal }
    const { entries, withheld } = await readFolder({ path, kind }, createHashCache(), times)
    return { paths: entries.map((entry) => entry.path).toSorted(), withheld }
  }
  return { path, write, read }
}

test('credentials of a project are not read, and each is named once', async () => {
  const { read } = setup(['handler.py', '.aws/credentials', '.ssh/id_ed25519', 'certs/server.pem', '.env', '.npmrc'])
  const withheld = ['.aws/', '.env', '.npmrc', '.ssh/', 'certs/server.pem']
  expect(await read('project')).toEqual({ paths: ['handler.py'], withheld })
  expect((await read('packed')).withheld).toEqual([])
})

test('the ignore file of a project applies unless it is a link', async () => {
  const { path, write, read } = setup(['handler.py', 'secrets/k.txt', 'a.bin', 'keep.bin'])
  symlinkSync('/dev/zero', join(path, '.runpodignore'))
  expect((await read('project')).paths).toContain('a.bin')
  rmSync(join(path, '.runpodignore'))
  write('.runpodignore', 'secrets/\n*.bin\n!keep.bin\n')
  expect((await read('project')).paths).toEqual(['.runpodignore', 'handler.py', 'keep.bin'])
})

test('a data folder is not read, but a folder with a file of its name is', async () => {
  const { read } = setup(['data/account.key', 'data/drydock.db', 'data/payloads/1', 'packed/account.key'])
  expect((await read('packed')).paths).toEqual(['packed/account.key'])
})
