import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProcessMachine } from '../../src-main/build/process-machine.ts'
import { PYTHON } from './support.ts'

function setup(python = PYTHON) {
  const root = mkdtempSync(join(tmpdir(), 'drydock-machine-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  // What a wheel holds is read by Python as it lies in the folder.
  const site = join(root, 'site')
  mkdirSync(join(site, 'tiny-1.5.dist-info'), { recursive: true })
  writeFileSync(join(site, 'tiny-1.5.dist-info', 'METADATA'), 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.5\n')
  const machine = createProcessMachine({ python: () => python, env: { ...process.env, PYTHONPATH: site } })
  const folder = join(root, 'volume')
  mkdirSync(folder)
  return { root, machine, folder, path: join(root, 'runpod-volume') }
}

describe('the packages that a Python lacks', () => {
  test('are those that are not there, or in another version; conditions that do not hold are met', async () => {
    const { machine } = setup()
    const wanted = ['tiny', 'tiny>=1,<2', 'tiny>=2', 'no-such-thing-here', 'no-such-thing-here; python_version < "3"']
    expect(await machine.missingPackages(wanted)).toEqual(['tiny>=2', 'no-such-thing-here'])
  })

  test('are all of them where it cannot be asked, and none where none are wanted', async () => {
    const { machine } = setup('/nowhere/python3')
    expect(await machine.missingPackages(['tiny'])).toEqual(['tiny'])
    expect(await machine.missingPackages([])).toEqual([])
  })
})

describe('a volume', () => {
  test('is put at its path as a link, once, and also where a link leads nowhere', async () => {
    const { machine, folder, path, root } = setup()
    expect(await machine.whyNotAt(path, folder)).toBeUndefined()
    for (let times = 0; times < 2; times++) await machine.putAt(path, folder)
    expect(readlinkSync(path)).toBe(folder)
    expect(await machine.whyNotAt(path, folder)).toBeUndefined()
    rmSync(path)
    symlinkSync(join(root, 'gone'), path)
    await machine.putAt(path, folder)
    expect(readlinkSync(path)).toBe(folder)
  })

  test('replaces nothing that is there', async () => {
    const { machine, folder, path } = setup()
    mkdirSync(path)
    expect(await machine.whyNotAt(path, folder)).toBe(`${path} is there already`)
    await machine.putAt(path, folder)
    expect(lstatSync(path).isDirectory()).toBe(true)
  })
})
