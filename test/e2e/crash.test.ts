import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signal } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import { serve, temporaryFolder } from './support-cli.ts'

test('a crashed service reports the signal, restarts on the same data, and still stops on SIGTERM', async () => {
  const folder = temporaryFolder()
  const { child, ended } = await serve(folder)
  const file = join(folder, 'data', 'service.json')
  const read = (): { pid: number; url: string } => JSON.parse(readFileSync(file, 'utf8'))
  const before = read()
  signal(before.pid, 'SIGKILL')
  const after = await until(() => {
    expect(read().pid).not.toBe(before.pid)
    return read()
  })
  expect(after.url).toBe(before.url)
  expect((await fetch(`${after.url}/`)).status).toBe(200)
  child.kill('SIGTERM')
  const { exitCode, stderr } = await ended
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('The service was terminated by SIGKILL. Restarting in 0.5 s.'),
  })
  expect(existsSync(file)).toBe(false)
})
