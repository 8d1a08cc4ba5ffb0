import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { Clone, ended, printed } from './clone.ts'

const INSTALLING = 'Installing dependencies (first start, about 30 s) ...\n'
const DONE = { code: 0, signal: null, stdout: '', stderr: '' }

test('a clean clone is installed once, with one line on stderr', async () => {
  const clone = new Clone()
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: INSTALLING })
  expect(await clone.setUp()).toEqual(DONE)
  expect(clone.npmCalls()).toEqual(['install --no-save --include=dev --no-audit --no-fund --loglevel=error'])
})

test('another lock file installs again, the same one written anew does not', async () => {
  const clone = new Clone()
  await clone.setUp()
  clone.writeLockFile('1.0.0')
  expect(await clone.setUp()).toEqual(DONE)
  clone.writeLockFile('1.0.1')
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: INSTALLING })
  expect(clone.npmCalls()).toHaveLength(2)
})

test('what somebody installed by hand is taken as it is', async () => {
  const clone = new Clone()
  await clone.setUp()
  clone.writeLockFile('1.0.1')
  clone.writeLockFile('1.0.1', 'node_modules/.package-lock.json')
  expect(await clone.setUp()).toEqual(DONE)
  clone.writeLockFile('1.0.2')
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: INSTALLING })
})

test('a failing npm shows what it said and what to do', async () => {
  const clone = new Clone()
  const { code, stdout, stderr } = await clone.setUp({ FAKE_NPM: 'fail' })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(
    `${INSTALLING}npm says something\nnpm error no network\n` +
      'Drydock could not install its dependencies: npm ended with 7. Check the network, then run ' +
      `"npm install" in ${clone.root}\n`,
  )
  expect(await clone.setUp()).toEqual({ ...DONE, stderr: INSTALLING })
})

test('an install without the pinned Node says how to get it', async () => {
  const clone = new Clone()
  const { code, stderr } = await clone.setUp({ FAKE_NPM: 'no-node' })
  expect(code).toBe(1)
  expect(stderr).toContain(`The pinned Node is missing: ${clone.root}/node_modules/node/bin/node\n`)
  expect(stderr).toContain(`Run "npm rebuild node --ignore-scripts=false" in ${clone.root} and start again.\n`)
})

test('of two set-ups at once one installs and the other waits for it', async () => {
  const clone = new Clone()
  const first = clone.start('src-main/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const firstEnd = ended(first)
  await printed(first, 'stderr', INSTALLING)
  const second = clone.start('src-main/cli/set-up.mjs')
  const secondEnd = ended(second)
  await printed(second, 'stderr', 'waiting for it')
  clone.write('go-on', '')
  expect(await firstEnd).toEqual({ ...DONE, stderr: INSTALLING })
  expect(await secondEnd).toEqual({
    ...DONE,
    stderr: 'Another start is installing the dependencies of this folder; waiting for it ...\n',
  })
  expect(clone.npmCalls()).toHaveLength(1)
})

test('the lock of a set-up that was killed does not stop the next one', async () => {
  const clone = new Clone()
  const killed = clone.start('src-main/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const end = ended(killed)
  await printed(killed, 'stderr', INSTALLING)
  await until(() => expect(clone.npmCalls()).toHaveLength(1))
  killed.kill('SIGKILL')
  await end
  clone.write('go-on', '') // Lets the npm that it left behind end.
  await until(() => expect(existsSync(`${clone.root}/node_modules/node/bin/node`)).toBe(true))
  expect(await clone.setUp()).toMatchObject({ code: 0, stdout: '' })
})

test('a set-up that is told to end ends npm and leaves no lock', async () => {
  const clone = new Clone()
  const told = clone.start('src-main/cli/set-up.mjs', [], { FAKE_NPM: 'until-told' })
  const end = ended(told)
  await printed(told, 'stderr', INSTALLING)
  await until(() => expect(clone.npmCalls()).toHaveLength(1))
  told.kill('SIGTERM')
  expect(await end).toEqual({ ...DONE, code: 143, stderr: INSTALLING })
  expect(() => clone.read('node_modules/.drydock/set-up-runs/pid')).toThrow('ENOENT')
})
