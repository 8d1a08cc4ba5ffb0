import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProcessHost } from '../../src-main/runtimes/process/process-host.ts'
import { makeWheels, onlyWheelsOf } from '../support/wheels.ts'
import { PYTHON } from './support.ts'

function setup(python = PYTHON) {
  const root = mkdtempSync(join(tmpdir(), 'drydock-host-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  // Python reads the contents of a wheel from the folder as they are.
  const site = join(root, 'site')
  mkdirSync(join(site, 'tiny-1.5.dist-info'), { recursive: true })
  writeFileSync(join(site, 'tiny-1.5.dist-info', 'METADATA'), 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.5\n')
  const host = createProcessHost({ python: () => python, env: { ...process.env, PYTHONPATH: site } })
  const folder = join(root, 'volume')
  mkdirSync(folder)
  return { root, host, folder, path: join(root, 'runpod-volume') }
}

describe('the packages that a Python lacks', () => {
  test('are those that do not exist, or in another version; conditions that do not hold are met', async () => {
    const { host } = setup()
    const wanted = ['tiny', 'tiny>=1,<2', 'tiny>=2', 'no-such-thing-here', 'no-such-thing-here; python_version < "3"']
    expect(await host.missingPackages(wanted)).toEqual(['tiny>=2', 'no-such-thing-here'])
  })

  test('are all of them where it cannot be asked, and none where none are wanted', async () => {
    const { host } = setup('/nowhere/python3')
    expect(await host.missingPackages(['tiny'])).toEqual(['tiny'])
    expect(await host.missingPackages([])).toEqual([])
  })
})

describe('packages for an endpoint', () => {
  /** A folder of wheels, and a host whose installers know nothing else. */
  function withWheels(env: Readonly<Record<string, string>> = {}) {
    const { root } = setup()
    const wheels = join(root, 'wheels')
    mkdirSync(wheels)
    makeWheels(wheels, [{ name: 'tinypack', version: '1.5', files: { 'tinypack.py': 'A = 1\n' } }])
    const lines: string[] = []
    const host = createProcessHost({
      python: () => PYTHON,
      env: { ...process.env, ...onlyWheelsOf(wheels), ...env },
    })
    const environment = join(root, '.venv')
    const wish = { environment, python: PYTHON, searchPath: undefined, signal: undefined }
    const install = (...packages: string[]) =>
      host.install({ ...wish, packages, onLine: (line) => void lines.push(line) })
    return { environment, install, lines }
  }

  test('are installed into an environment that is made, and one that is there keeps what it has', async () => {
    const { environment, install, lines } = withWheels()
    await install('tinypack>=1,<2')
    const run = (code: string) =>
      execFileSync(join(environment, 'bin', 'python'), ['-c', code])
        .toString()
        .trim()
    expect(run('import tinypack; print(tinypack.A)')).toBe('1')
    expect(lines.join('\n')).toContain('tinypack')
    await install('tinypack==1.5')
    await expect(install('tinypack>=2')).rejects.toThrow(/tinypack/)
    expect(run('import tinypack; print(tinypack.A)')).toBe('1')
  })

  test('are installed by uv where it is there, with all names after the options', async () => {
    const { root } = setup()
    const calls = join(root, 'calls')
    const bin = join(root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'uv'), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 })
    const { install, environment } = withWheels({ PATH: `${bin}:${process.env.PATH}` })
    await install('tinypack', 'b[c]==1')
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
      '--version',
      `venv --python ${PYTHON} --system-site-packages ${environment}`,
      `pip install --python ${join(environment, 'bin', 'python')} -- tinypack b[c]==1`,
    ])
  })
})

describe('a volume', () => {
  test('is put at its path as a link, once, and also where a link leads nowhere', async () => {
    const { host, folder, path, root } = setup()
    expect(await host.whyNotAt(path, folder)).toBeUndefined()
    for (let times = 0; times < 2; times++) await host.putAt(path, folder)
    expect(readlinkSync(path)).toBe(folder)
    expect(await host.whyNotAt(path, folder)).toBeUndefined()
    rmSync(path)
    symlinkSync(join(root, 'gone'), path)
    await host.putAt(path, folder)
    expect(readlinkSync(path)).toBe(folder)
  })

  test('replaces nothing that is there', async () => {
    const { host, folder, path } = setup()
    mkdirSync(path)
    expect(await host.whyNotAt(path, folder)).toBe(`${path} is there already`)
    await host.putAt(path, folder)
    expect(lstatSync(path).isDirectory()).toBe(true)
  })
})
