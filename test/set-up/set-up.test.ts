import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { Clone, ended, printed } from './clone.ts'

const INSTALLING = 'Installing the packages needed to start (without those for tests and checks) ...'
const DONE = { code: 0, signal: null, stdout: '', stderr: '' }
const SECONDS = String.raw`\d+\.\d s`

/** The output of a successful set-up: each step with its time, then the total time. */
const printing = (...steps: readonly string[]) => {
  const lines = steps.map((step) => `${step.replace(/[()./]/g, '\\$&')} ${SECONDS}\n`)
  return expect.stringMatching(new RegExp(`^${lines.join('')}Set-up took ${SECONDS}\\.\n$`))
}
const install = (folder: string, level: string) =>
  `${folder}: install --no-save --no-audit --no-fund --loglevel=error ${level}`

describe('a clean clone', () => {
  test('installs the packages that a start needs, once', async () => {
    const clone = new Clone()
    expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing(INSTALLING) })
    expect(await clone.setUp()).toEqual(DONE)
    expect(clone.npmCalls()).toEqual([install('.', '--omit=dev')])
  })

  test('adds the tools for tests when a command needs them, and keeps them', async () => {
    const clone = new Clone()
    await clone.setUp()
    expect(await clone.setUp({}, ['--dev'])).toEqual({ ...DONE, stderr: printing('Installing all packages ...') })
    expect(await clone.setUp({}, ['--dev'])).toEqual(DONE)
    expect(await clone.setUp()).toEqual(DONE)
    clone.writeLockFile('1.0.1')
    await clone.setUp()
    const calls = ['--omit=dev', '--include=dev', '--include=dev'].map((level) => install('.', level))
    expect(clone.npmCalls()).toEqual(calls)
  })

  test('installs the packages of a folder for a command that names it', async () => {
    const clone = new Clone()
    const both = 'Installing all packages, the packages of test ...'
    expect(await clone.setUp({}, ['--dev', 'test'])).toEqual({ ...DONE, stderr: printing(both) })
    expect(await clone.setUp({}, ['--dev', 'test'])).toEqual(DONE)
    expect(clone.npmCalls().sort()).toEqual([install('.', '--include=dev'), install('test', '--include=dev')])
    clone.write('test/package-lock.json', '{ "packages": {} }')
    const one = { ...DONE, stderr: printing('Installing the packages of test ...') }
    expect(await clone.setUp({}, ['--dev', 'test'])).toEqual(one)
    expect(await clone.setUp()).toEqual(DONE)
  })
})

describe('the Node that runs Drydock', () => {
  test('is the system Node if that is new enough; no other is installed', async () => {
    const clone = new Clone()
    await clone.setUp()
    expect(existsSync(`${clone.root}/${Clone.pinnedNode}`)).toBe(false)
  })

  test('is otherwise the pinned Node, which npm scripts find first', async () => {
    const clone = new Clone()
    clone.pretendNodeIsTooOld()
    expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing(INSTALLING.replace(' ...', ', Node 24 ...')) })
    expect(await clone.setUp()).toEqual(DONE)
    const calls = [install('.', '--omit=dev'), install('resources/pinned-node', '--include=dev')]
    expect(clone.npmCalls().sort()).toEqual(calls)
    expect(readlinkSync(`${clone.root}/node_modules/.bin/node`)).toBe(`../../${Clone.pinnedNode}`)
  })

  test('is found by npm scripts again after `npm ci`, which deletes node_modules', async () => {
    const clone = new Clone()
    clone.pretendNodeIsTooOld()
    await clone.setUp()
    rmSync(`${clone.root}/node_modules`, { recursive: true })
    clone.installByHand('1.0.0')
    expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing() })
    expect(await clone.setUp()).toEqual(DONE)
    expect(readlinkSync(`${clone.root}/node_modules/.bin/node`)).toBe(`../../${Clone.pinnedNode}`)
    expect(clone.npmCalls()).toHaveLength(2)
  })

  test('is reported with a fix if npm did not install it', async () => {
    const clone = new Clone()
    clone.pretendNodeIsTooOld()
    const { code, stderr } = await clone.setUp({ FAKE_NPM: 'no-node' })
    expect(code).toBe(1)
    expect(stderr).toContain(`The pinned Node is missing: ${clone.root}/${Clone.pinnedNode}\n`)
    expect(stderr).toContain('Install Node 24 or newer, or delete ')
    expect(await clone.setUp()).toMatchObject({ code: 0, stderr: printing('Installing Node 24 ...') })
  })
})

test('a changed lock file installs again, a rewritten one with the same text does not', async () => {
  const clone = new Clone()
  await clone.setUp()
  clone.writeLockFile('1.0.0')
  expect(await clone.setUp()).toEqual(DONE)
  clone.writeLockFile('1.0.1')
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing(INSTALLING) })
  expect(clone.npmCalls()).toHaveLength(2)
})

test('packages that a user installed by hand are not installed again', async () => {
  const clone = new Clone()
  await clone.setUp()
  clone.writeLockFile('1.0.1')
  clone.installByHand('1.0.1')
  expect(await clone.setUp({}, ['--dev'])).toEqual(DONE)
  clone.writeLockFile('1.0.2')
  expect(await clone.setUp()).toMatchObject({ code: 0, stderr: printing('Installing all packages ...') })
})

test('a manual install without the tools for tests is enough to start, but not to test', async () => {
  const clone = new Clone()
  clone.write('node_modules/a/package.json', '{}')
  clone.write('node_modules/.package-lock.json', '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }')
  expect(await clone.setUp()).toEqual(DONE)
  expect(await clone.setUp({}, ['--dev'])).toEqual({ ...DONE, stderr: printing('Installing all packages ...') })
})

test('a package that npm has on record but is gone is installed again', async () => {
  const clone = new Clone()
  clone.installByHand('1.0.0')
  rmSync(`${clone.root}/node_modules/a`, { recursive: true })
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing(INSTALLING) })
})

test('a failure of npm prints its output and a fix', async () => {
  const clone = new Clone()
  const { code, stdout, stderr } = await clone.setUp({ FAKE_NPM: 'fail' })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.replace(/\d+\.\d s/, '? s')).toBe(
    `${INSTALLING} ? s\nnpm says something\nnpm error no network\n` +
      'The installation of the packages needed to start (without those for tests and checks) failed: ' +
      'npm exited with code 7. Check the network, then start again.\n',
  )
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: printing(INSTALLING) })
})

test('two failed installations are both reported', async () => {
  const clone = new Clone()
  const { code, stderr } = await clone.setUp({ FAKE_NPM: 'fail' }, ['--dev', 'test'])
  expect(code).toBe(1)
  expect(stderr).toContain('The installation of all packages failed: npm exited with code 7')
  expect(stderr).toContain('The installation of the packages of test failed: npm exited with code 7')
})

test('the second of two concurrent set-ups waits for the first, which installs', async () => {
  const clone = new Clone()
  const first = clone.start('src-main/app/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const firstEnd = ended(first)
  await printed(first, 'stderr', INSTALLING)
  const second = clone.start('src-main/app/cli/set-up.mjs')
  const secondEnd = ended(second)
  await printed(second, 'stderr', 'Waiting for it')
  clone.write('go-on', '')
  expect(await firstEnd).toEqual({ ...DONE, stderr: printing(INSTALLING) })
  expect(await secondEnd).toEqual({
    ...DONE,
    stderr: 'Another process is setting up this clone. Waiting for it ...\n',
  })
  expect(clone.npmCalls()).toHaveLength(1)
})

test('a set-up waits for the npm that a killed set-up left running, and then installs', async () => {
  const clone = new Clone()
  const killed = clone.start('src-main/app/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const end = ended(killed)
  await printed(killed, 'stderr', INSTALLING)
  await until(() => expect(clone.npmCalls()).toHaveLength(1))
  killed.kill('SIGKILL')
  const next = clone.start('src-main/app/cli/set-up.mjs')
  const nextEnd = ended(next)
  await printed(next, 'stderr', 'Waiting for it')
  expect(clone.npmCalls()).toHaveLength(1)
  clone.write('go-on', '')
  await end
  expect(await nextEnd).toMatchObject({ code: 0, stdout: '' })
})

test('nor does the lock of one with the same process id, as in a restarted container', async () => {
  const clone = new Clone()
  const lock = `${clone.root}/node_modules/.drydock/set-up-runs`
  mkdirSync(lock, { recursive: true })
  const script = `echo $$ > '${lock}/pid'; exec '${process.execPath}' '${clone.root}/src-main/app/cli/set-up.mjs'`
  const env = { npm_execpath: `${clone.root}/fake/npm-cli.js` }
  const end = ended(spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  expect(await end).toEqual({ ...DONE, stderr: printing(INSTALLING) })
})

test('a set-up that is terminated ends npm and leaves no lock', async () => {
  const clone = new Clone()
  const told = clone.start('src-main/app/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const end = ended(told)
  await printed(told, 'stderr', INSTALLING)
  await until(() => expect(clone.npmCalls()).toHaveLength(1))
  told.kill('SIGTERM')
  expect(await end).toMatchObject({ code: 143, stderr: expect.stringMatching(/ \.\.\. \d+\.\d s\n$/) })
  expect(() => clone.read('node_modules/.drydock/set-up-runs/pid')).toThrow('ENOENT')
})

test('a set-up that is terminated ends even if npm ignores the signal, as it does while a network does not answer', async () => {
  const clone = new Clone()
  const told = clone.start('src-main/app/cli/set-up.mjs', [], { FAKE_NPM: 'deaf' })
  const end = ended(told)
  await until(() => expect(clone.npmCalls()).toHaveLength(1))
  told.kill('SIGINT')
  expect(await end).toMatchObject({ code: 130 })
})
