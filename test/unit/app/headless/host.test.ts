import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHost } from '../../../../src-main/app/headless/host.ts'

function setup() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-host-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [folder, project, elsewhere] = ['data', 'project', 'elsewhere'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [folder, join(project, '.svc/packages'), elsewhere]) mkdirSync(path, { recursive: true })
  writeFileSync(join(elsewhere, 'large'), 'x'.repeat(1000))
  const host = createHost({ folder, log: join(folder, 'drydock.log') }, () => 0)
  return { host, folder, project, elsewhere }
}

test('the files of a project are measured, and not the targets of its links', async () => {
  const { host, project, elsewhere } = setup()
  const packages = join(project, '.svc/packages')
  writeFileSync(join(packages, 'file'), 'x')
  symlinkSync(elsewhere, join(packages, 'link'))
  expect(await host.measure([packages])).toEqual({ bytes: 1, files: 1 })
  rmSync(packages, { recursive: true })
  symlinkSync(elsewhere, packages)
  expect(await host.measure([packages])).toEqual({ bytes: 0, files: 0 })
})

test('a part of the data folder may lie on another disk', async () => {
  const { host, folder, elsewhere } = setup()
  symlinkSync(elsewhere, join(folder, 'volumes'))
  expect(await host.measure(['volumes', 'nothing'])).toEqual({ bytes: 1000, files: 1 })
})
