import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startedService, until } from '../support/served-service.ts'
import { readSignIn } from '../support/signed-in.ts'

const run = promisify(execFile)
const LAUNCHER = join(import.meta.dirname, '..', '..', 'src-main', 'app', 'cli', 'drydock.mjs')
const NOBODY = { uid: 65_534, gid: 65_534 }
const FOLLOW =
  'fetch(process.argv[1], { redirect: "manual" }).then((r) => console.log(r.status, [...r.headers].join()))'

test('a link on the command line of the browser does not sign in another user who reads it there', async ({ skip }) => {
  skip(process.platform !== 'linux' || process.getuid?.() !== 0, 'only root can start a process of another user')
  const service = await startedService()
  // Stands in for the program that opens the browser: it writes down its command line.
  const opened = join(service.folder, 'opened')
  writeFileSync(join(service.folder, 'xdg-open'), `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${service.folder}${delimiter}${process.env.PATH}` }
  await run(process.execPath, [LAUNCHER, 'open', '--data', service.data], { env })
  const link = await until(() => readFileSync(opened, 'utf8').trim() || Promise.reject(new Error('not opened yet')))

  const { stdout } = await run(process.execPath, ['-e', FOLLOW, link], NOBODY)
  expect(stdout).toMatch(/^303 /)
  expect(stdout).toContain('location,/?link=other-user')
  expect(stdout).not.toContain('set-cookie')
  // One that leaves before it can be asked for its user must not use up the link.
  for (const leave of ['end', 'destroy']) {
    const { hostname, port, pathname, search } = new URL(link)
    const request = `GET ${pathname}${search} HTTP/1.1\\r\\nHost: ${hostname}:${port}\\r\\n\\r\\n`
    const ask = `const c = require("net").connect(${port}, "${hostname}", () => c.write("${request}", () => c.${leave}()))`
    await run(process.execPath, ['-e', ask], NOBODY)
  }
  const { headers } = await readSignIn(await fetch(link))
  expect((await fetch(`${service.url()}/api/info`, { headers })).status).toBe(200)
})
