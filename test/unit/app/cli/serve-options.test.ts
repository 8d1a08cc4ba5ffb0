import { expect, test } from 'vitest'
import { setupCli } from './support.ts'

test.each([
  ['a name as an address', ['--listen', 'localhost'], 'It must be an IP address, like 192.168.1.5 or 0.0.0.0.'],
  ['a Host with a scheme', ['--allow-host', 'http://box'], 'It must be a host, like box or box.local:9000'],
  ['--tls without --listen', ['--tls'], '--listen'],
  ['half of a pair', ['--listen', '127.0.0.2', '--tls-cert', 'x.pem'], '--tls-key'],
])('serve refuses %s', async (_what, options, why) => {
  const { run, folder } = await setupCli()
  const { exitCode, stderr } = await run(['serve', '--data', folder, ...options])
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(why) })
})
