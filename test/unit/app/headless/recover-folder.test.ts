import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recoverFolder } from '../../../../src-main/app/headless/recover-folder.ts'
import { openDatabase } from '../../../../src-main/database/open-database.ts'

/** A data folder that a service left when it was killed. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-recover-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  mkdirSync(data)
  openDatabase(join(data, 'drydock.db')).close()
  writeFileSync(join(data, 'account.key'), 'key')
  return { folder, data, fresh: join(folder, 'fresh') }
}

test('a recovered folder has the files of the damaged one, with links that lead to its own', async () => {
  const { data, fresh } = setup()
  mkdirSync(join(data, 'apps/lib'), { recursive: true })
  symlinkSync('lib', join(data, 'apps/lib64'))
  await recoverFolder(data, fresh)
  expect(readdirSync(fresh).toSorted()).toEqual(['account.key', 'apps', 'drydock.db'])
  expect(readlinkSync(join(fresh, 'apps/lib64'))).toBe('lib')
})

test('sockets that are left in the damaged folder are not copied', async () => {
  const { data, fresh } = setup()
  mkdirSync(join(data, 'machines'))
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(data, 'machines/c'), resolve))
  onTestFinished(() => void server.close())
  await recoverFolder(data, fresh)
  expect(readdirSync(join(fresh, 'machines'))).toEqual([])
})

test('a folder that is not empty is refused and keeps its permissions', async () => {
  const { folder, data } = setup()
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o755)
  writeFileSync(join(shared, 'notes'), '')
  await expect(recoverFolder(data, shared)).rejects.toThrow(/is not empty/)
  expect(statSync(shared).mode & 0o777).toBe(0o755)
})

test('a folder inside the damaged one is refused', async () => {
  const { data } = setup()
  await expect(recoverFolder(data, join(data, 'saved'))).rejects.toThrow(/is inside .*data/)
  expect(readdirSync(data)).not.toContain('saved')
})
