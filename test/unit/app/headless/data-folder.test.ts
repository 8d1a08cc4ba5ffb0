import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lostLogWarning, openDataFolder } from '../../../../src-main/app/headless/data-folder.ts'

it.each([
  ['a new folder', [], false],
  ['a service that stopped in order', ['drydock.db'], false],
  ['one that was killed', ['drydock.db', 'drydock.db-wal', 'service.json'], false],
  ['one that was killed, without its log', ['drydock.db', 'service.json'], true],
])('a missing write-ahead log is noticed: %s', (_case, names, isLost) => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of names) writeFileSync(join(folder, name), '')
  const warning = lostLogWarning(openDataFolder(folder))
  expect(warning !== undefined).toBe(isLost)
  if (isLost) expect(warning).toMatch(/^drydock\.db-wal is missing in .* did not stop in order/)
})
