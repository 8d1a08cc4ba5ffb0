import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCodeFolders } from '../../../../../src-main/features/apps/commands/preview/changed-code.ts'

/** Folders of which `count` were live one after the other, from 100, 200, ... on. */
function setup(count: number) {
  const root = mkdtempSync(join(tmpdir(), 'drydock-code-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folders = createCodeFolders(root)
  const make = () => {
    const folder = folders.next()
    mkdirSync(folder)
    return folder
  }
  for (let n = 1; n <= count; n++) folders.live(make(), n * 100 - 50, n * 100)
  return { folders, make, left: () => readdirSync(root).sort() }
}

test('the newest three stay without any worker', async () => {
  const { folders, left } = setup(5)
  await folders.tidy([])
  expect(left()).toEqual(['3', '4', '5'])
})

// Workers of release 2 may start from 150, when it was begun, to 300, when release 3 took over.
test.each([
  [149, ['1']],
  [150, ['1', '2']],
  [225, ['2']],
  [300, ['2', '3']],
  [301, ['3']],
] as const)('a worker started at %i keeps the old folders whose code it may have', async (startedAt, kept) => {
  const { folders, left } = setup(6)
  await folders.tidy([startedAt, 580])
  expect(left()).toEqual([...kept, '4', '5', '6'])
  await folders.tidy([580])
  expect(left()).toEqual(['4', '5', '6'])
})

test('one that was dropped is gone, and its name is not used again', async () => {
  const { folders, make, left } = setup(0)
  await folders.drop(make())
  make()
  expect(left()).toEqual(['2'])
})
