import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hasBrowser } from '../../../../src-main/app/cli/open-pages.ts'
import { setupCli, surroundingsOf, temporaryFolder } from './support.ts'

const LINK = 'http://127.0.0.1:8790/sign-in?code=once'

/** A service with a sign-in link, and an opener of browsers that ends with a code. */
async function setup(code: number, sameUser = true) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 })
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return setupCli({ 'POST /api/session-links': { url: LINK, expiresAt: 0, sameUser } })
}

test('an opener that finds no browser is a failure that names the link', async () => {
  const { run } = await setup(3)
  expect(await run(['open'])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `drydock: No browser could be opened: xdg-open exited with code 3. Open ${LINK} yourself.\n`,
  })
})

test('an opener that exits with 0 has opened the pages', async () => {
  const { run, service } = await setup(0)
  expect(await run(['open'])).toMatchObject({ exitCode: 0, stdout: `Opened ${service.url}/ in the browser.\n` })
})

test('a link that anyone could use is not put on a command line', async () => {
  const { run } = await setup(0, false)
  expect(await run(['open'])).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(LINK) })
})

test.each<[boolean, NodeJS.Platform, Record<string, string>, string]>([
  [true, 'linux', { DISPLAY: ':0' }, 'at a screen'],
  [true, 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'at a Wayland screen'],
  [false, 'linux', {}, 'without a screen'],
  [true, 'darwin', {}, 'on a Mac'],
  [false, 'darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'over ssh'],
  [false, 'linux', { DISPLAY: ':0', CI: 'true' }, 'in a pipeline'],
])('a start opens a browser: %s on %s with %j, %s', (opens, platform, env) => {
  const { surroundings } = surroundingsOf('/', { env, person: {} })
  expect(hasBrowser({ ...surroundings, platform })).toBe(opens)
  const { surroundings: noTerminal } = surroundingsOf('/', { env })
  expect(hasBrowser({ ...noTerminal, platform })).toBe(false)
})
