import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPageFiles } from '../../../src-main/app/headless/main.ts'

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'out', 'assets', 'inner'), { recursive: true })
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'out', 'index.html'), 'index')
  writeFileSync(join(folder, 'out', 'assets', 'main-1.js'), 'run()')
  writeFileSync(join(folder, 'out', 'assets', 'data'), 'data')
  return { folder, files: openPageFiles(join(folder, 'out')) }
}

const text = (file: { readonly body: Uint8Array; readonly type: string } | undefined) =>
  file && [new TextDecoder().decode(file.body), file.type]

test('the files of built pages are read, each with its type', async () => {
  const { files } = setup()
  expect(text(await files.index())).toEqual(['index', 'text/html; charset=utf-8'])
  expect(text(await files.asset('main-1.js'))).toEqual(['run()', 'text/javascript; charset=utf-8'])
  expect(text(await files.asset('data'))).toEqual(['data', 'application/octet-stream'])
})

test.each([
  '../index.html',
  '../../secret.js',
  '..',
  '.',
  '',
  '.hidden',
  'inner',
  'inner/x.js',
  'a\\..\\b',
  'a\0b',
  'x'.repeat(300),
])('no name leads out of the folder of assets, or to what is no file: %j', async (name) => {
  expect(await setup().files.asset(name)).toBe(undefined)
})

test('pages that are not built are not there, and are once they are built', async () => {
  const { folder } = setup()
  const files = openPageFiles(join(folder, 'later'))
  expect([await files.index(), await files.asset('main-1.js')]).toEqual([undefined, undefined])
  mkdirSync(join(folder, 'later'))
  writeFileSync(join(folder, 'later', 'index.html'), 'new')
  expect(text(await files.index())).toEqual(['new', 'text/html; charset=utf-8'])
})
