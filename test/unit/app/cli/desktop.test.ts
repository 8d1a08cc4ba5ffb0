import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installedElectron, planWindow, type WindowFacts } from '../../../../src-main/app/cli/desktop.ts'
import { temporaryFolder } from './support.ts'

const HERE: WindowFacts = { env: { DISPLAY: ':0' }, platform: 'linux', electron: '/e/electron', isRoot: false }

describe('the desktop window', () => {
  test('opens where Electron and a display are there', () => {
    expect(planWindow(HERE)).toEqual({
      kind: 'window',
      program: '/e/electron',
      args: [expect.stringMatching(/out[\\/]shell[\\/]main\.js$/)],
      needsBuild: true,
    })
    expect(planWindow({ ...HERE, env: { WAYLAND_DISPLAY: 'wayland-0' } }).kind).toBe('window')
    expect(planWindow({ ...HERE, platform: 'darwin', env: {} }).kind).toBe('window')
    expect(planWindow({ ...HERE, platform: 'win32', env: {}, isRoot: true }).kind).toBe('window')
  })

  test('is that of the package, or of the Electron that a variable names', () => {
    const env = { ...HERE.env, DRYDOCK_ELECTRON: '/other/electron' }
    expect(planWindow({ ...HERE, env, electron: undefined })).toMatchObject({ program: '/other/electron' })
    expect(planWindow({ ...HERE, env: { ...env, DRYDOCK_DESKTOP: '/opt/Drydock/drydock-desktop' } })).toEqual({
      kind: 'window',
      program: '/opt/Drydock/drydock-desktop',
      args: [],
      needsBuild: false,
    })
  })

  test('opens for root where Electron was told to do without its sandbox', () => {
    const env = { ...HERE.env, ELECTRON_DISABLE_SANDBOX: '1' }
    expect(planWindow({ ...HERE, env, isRoot: true }).kind).toBe('window')
  })

  test.each<readonly [string, Partial<WindowFacts>, string]>([
    ['without Electron', { electron: undefined }, 'npm run electron'],
    ['without a display', { env: {} }, 'there is no display'],
    ['for root', { isRoot: true }, 'does not run as root'],
    ['over SSH', { platform: 'darwin', env: { SSH_CONNECTION: 'a' } }, 'over SSH'],
  ])('is a browser %s, with the reason', (_when, facts, why) => {
    const plan = planWindow({ ...HERE, ...facts })
    expect(plan).toEqual({ kind: 'browser', why: expect.stringContaining(why) })
  })
})

test('Electron is found where npm put it, and never fetched', () => {
  const root = temporaryFolder()
  expect(installedElectron(root)).toBeUndefined()
  const folder = join(root, 'node_modules', 'electron')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'path.txt'), 'electron')
  expect(installedElectron(root)).toBeUndefined()
  const program = join(folder, 'dist', 'electron')
  writeFileSync(program, '')
  chmodSync(program, 0o755)
  expect(installedElectron(root)).toBe(program)
})
