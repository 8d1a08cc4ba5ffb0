import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { setupCli, temporaryFolder } from './support.ts'

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
    stderr: `drydock: No browser could be opened: xdg-open found none, and ended with 3. Open ${LINK} yourself.\n`,
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
