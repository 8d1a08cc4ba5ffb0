import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSshLink } from '../../src-main/runtimes/remote/ssh-link.ts'
import { realClock, silent } from '../conformance/process-place.ts'

test('closing a link ends a login that is under way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-link-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'ssh'), `#!/bin/sh\n: > '${join(folder, 'begun')}'\nexec sleep 600\n`)
  chmodSync(join(programs, 'ssh'), 0o755)
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` }
  const link = createSshLink({ target: { to: 'box' }, env, clock: realClock, log: silent, folder: join(folder, 's') })
  const login = link.connection().catch((error: Error) => error.message)
  await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true)
  await link.close()
  expect(await login).toContain('ssh ended')
  await expect(link.connection()).rejects.toThrow('the connection was ended')
})
