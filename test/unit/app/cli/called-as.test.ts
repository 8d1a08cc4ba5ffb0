import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asCalled } from '../../../../src-main/app/cli/output.ts'
import {
  calledAnywhere,
  calledAs,
  commandHere,
  defaultDataFolder,
} from '../../../../src-main/app/headless/called-as.ts'
import { asCalledBy } from '../../../../src-main/lib/text.ts'
import { temporaryFolder } from './support.ts'

describe('the command line is called', () => {
  test.each([
    ['a global command', { PATH: '/bin:/usr/local/bin', DRYDOCK_CALLED_BY: '/usr/local/bin/drydock' }, 'drydock'],
    ['npx', { npm_command: 'exec', DRYDOCK_CALLED_BY: '/clone/node_modules/.bin/drydock' }, 'npx drydock'],
    ['a script of npm', { npm_lifecycle_event: 'start' }, 'npx drydock'],
    [
      'the file of a clone',
      { DRYDOCK_CALLED_BY: '/clone/src-main/app/cli/drydock.mjs' },
      'node src-main/app/cli/drydock.mjs',
    ],
    ['the file of a clone elsewhere', { DRYDOCK_CALLED_BY: '/o/cli/drydock.mjs' }, 'node /o/cli/drydock.mjs'],
    ['a file with a space', { DRYDOCK_CALLED_BY: '/my clone/drydock.mjs' }, "node '/my clone/drydock.mjs'"],
    ['a package that was unpacked here', { DRYDOCK_CALLED_BY: '/clone/drydock' }, './drydock'],
    ['the desktop', { PATH: '/bin', DRYDOCK_CALLED_BY: '/opt/D/core/bin/drydock' }, '/opt/D/core/bin/drydock'],
    ['an unknown one', {}, 'drydock'],
  ])('by %s', (_how, env, name) => {
    expect(calledAs({ env, cwd: '/clone' })).toBe(name)
  })

  test('by the path from this folder where that is shorter', () => {
    const env = { DRYDOCK_CALLED_BY: '/home/ada/clone/drydock.mjs' }
    expect(calledAs({ env, cwd: '/home/ada/app' })).toBe('node ../clone/drydock.mjs')
  })

  test('by the file of which the drydock in the PATH is a link', () => {
    const folder = temporaryFolder()
    const [path, other] = [join(folder, 'drydock.mjs'), join(folder, 'other.mjs')]
    for (const file of [path, other]) writeFileSync(file, '')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(path, join(bin, 'drydock'))
    expect(calledAs({ env: { PATH: bin, DRYDOCK_CALLED_BY: path }, cwd: folder })).toBe('drydock')
    expect(calledAs({ env: { PATH: bin, DRYDOCK_CALLED_BY: other }, cwd: folder })).toBe('node ./other.mjs')
  })
})

describe('pages name a command line that works in any folder', () => {
  const file = '/my clone/src-main/app/cli/drydock.mjs'
  test.each([
    ['a global command', { PATH: '/bin:/usr/local/bin', DRYDOCK_CALLED_BY: '/usr/local/bin/drydock' }, 'drydock'],
    ['npx', { npm_command: 'exec', PATH: '/c:/bin', DRYDOCK_CALLED_BY: '/c/drydock.mjs' }, 'node /c/drydock.mjs'],
    ['a script of npm', { npm_lifecycle_event: 'start', DRYDOCK_CALLED_BY: file }, `node '${file}'`],
    ['the file of a clone', { PATH: '/bin', DRYDOCK_CALLED_BY: '/c/drydock.mjs' }, 'node /c/drydock.mjs'],
    ['an unknown one', {}, 'drydock'],
  ])('started by %s', (_how, env, name) => {
    expect(calledAnywhere(env)).toBe(name)
  })
})

test('hints have the commands as the caller calls them, and other words stay', () => {
  const caller = { env: { npm_command: 'exec' }, cwd: '/' }
  expect(asCalled('Start it: drydock serve --data /x/drydock data. See `drydock logs a`.', caller)).toBe(
    'Start it: npx drydock serve --data /x/drydock data. See `npx drydock logs a`.',
  )
  expect(asCalled('Start it: drydock serve. See `drydock logs a` or `drydock run --help`.', caller, './my data')).toBe(
    "Start it: npx drydock --data './my data' serve. See `npx drydock --data './my data' logs a` or `npx drydock run --help`.",
  )
  expect(asCalled('Start one with `drydock serve --data /d`.', caller, '/d')).toBe(
    'Start one with `npx drydock serve --data /d`.',
  )
  expect(asCalled('drydock: No Drydock service runs.', caller)).toBe('drydock: No Drydock service runs.')
})

test('pages name the data folder of a service unless it is the default one', () => {
  const { env, platform } = process
  expect(asCalledBy('See `drydock doctor`.', commandHere('/my data'))).toMatch(
    /^See `.*drydock.* --data '\/my data' doctor`\.$/,
  )
  expect(asCalledBy('Run `drydock serve --data /d`.', commandHere('/my data'))).toMatch(
    /drydock.* serve --data \/d`\.$/,
  )
  expect(commandHere(defaultDataFolder({ env, platform, home: homedir() }))).not.toContain('--data')
})
