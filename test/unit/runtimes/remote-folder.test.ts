import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeRemoteFolder } from '../../../src-main/runtimes/remote/remote-socket.ts'
import type { SshConnection } from '../../../src-main/runtimes/remote/ssh-connection.ts'

/** A home folder with the folders of two services, and a connection that runs scripts in it. */
function setup() {
  const home = mkdtempSync(join(tmpdir(), 'drydock-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const id of ['one', 'two']) mkdirSync(join(home, '.drydock', id), { recursive: true })
  const programs = join(home, 'bin')
  mkdirSync(programs)
  const env = { HOME: home, PATH: `${programs}${delimiter}${process.env.PATH}` }
  const run = async (script: string) => execFileSync('sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' })
  const connection = async () => ({ run }) as Partial<SshConnection> as SshConnection
  return {
    remove: (id: string) => removeRemoteFolder({ connection }, id),
    isThere: (path: string) => existsSync(join(home, '.drydock', path)),
    breakRm: () => writeFileSync(join(programs, 'rm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 }),
  }
}

test('the folder of a service is removed, and the one around it with the last', async () => {
  const { remove, isThere } = setup()
  await remove('one')
  expect([isThere('one'), isThere('two')]).toEqual([false, true])
  await remove('two')
  expect(isThere('')).toBe(false)
})

test('a folder that cannot be removed is reported', async () => {
  const { remove, breakRm } = setup()
  breakRm()
  await expect(remove('one')).rejects.toThrow()
})
