import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { beforeEach, expect, test } from 'vitest'
import { servedService } from '../support/served-service.ts'
import { startCommand, temporaryFolder } from './support-cli.ts'

// Another address than those of loopback, on which only https is answered.
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

beforeEach(({ skip }) => skip(address === undefined, 'this machine has no address on a network'))

async function setup(...args: readonly string[]) {
  const service = servedService()
  await service.start({ args: ['--listen', address ?? '', ...args] })
  const { port } = new URL(service.url())
  const home = temporaryFolder()
  const env = { HOME: home, XDG_CONFIG_HOME: '', SVC_BASE_URL: '', SVC_API_KEY: '', SVC_DATA: '' }
  const url = `https://${address}:${port}`
  const key = service.read('data', 'account.key').trim()
  const command = (argv: readonly string[]) => startCommand(argv, { cwd: home, env }).ended
  const login = (fingerprint: string) => command(['login', '--url', url, '--key', key, '--fingerprint', fingerprint])
  return { service, port, url, key, home, env, command, login }
}

/** The fingerprint that a service on TLS tells scripts. */
async function fingerprintOf(url: string, command: (argv: readonly string[]) => Promise<{ stderr: string }>) {
  const { stderr } = await command(['login', '--url', url, '--key', 'none'])
  return /fingerprint ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/.exec(stderr)?.[1] ?? stderr
}

test('with --tls no plain request is answered on the network, and all are on this machine', async () => {
  const { port, key, service } = await setup('--tls')
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    http
      .get({ host: address, port, path: '/api/info', headers, agent: false }, ({ statusCode }) => resolve(statusCode))
      .once('error', reject)
  })
  expect(status).toBe(426)
  expect(await service.get('/api/info')).toHaveProperty('version')
})

test('a login pins the certificate whose fingerprint is named; commands and Python go by it, over a restart', async () => {
  const { service, port, url, command, login, home, env } = await setup('--tls')
  const fingerprint = await fingerprintOf(url, command)
  const wrong = await login(fingerprint.replace(/^../, fingerprint.startsWith('00') ? '11' : '00'))
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(fingerprint) })

  expect(await login(fingerprint)).toMatchObject({ exitCode: 0, stderr: '' })
  const packages = join(import.meta.dirname, '..', '..', 'resources', 'python')
  const script =
    'from svc._http import Http; import sys; print(Http().request("GET", sys.argv[1], headers={}, timeout_s=9).status)'
  const ask = (target: string) =>
    execFileSync('python3', ['-c', script, target], {
      env: { ...process.env, ...env, PYTHONPATH: packages },
    }).toString()
  expect(ask(`${url}/api/info`)).toBe('401\n')
  expect(readFileSync(join(home, '.config', 'svc', 'credentials.json'), 'utf8')).toContain('BEGIN CERTIFICATE')

  await service.stop()
  const args = ['--listen', address ?? '', '--tls']
  await service.start({ port: Number(port), args })
  expect(await command(['endpoint', 'list'])).toMatchObject({ exitCode: 0 })
  await service.stop()
  await servedService().start({ port: Number(port), args })
  // Another data folder has another certificate, which gets no key at the same address.
  const { exitCode, stderr } = await command(['endpoint', 'list'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('it shows another certificate than the one that')
})

test('a certificate of the user is shown instead, and one that is none is refused', async () => {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const pair = await generate([{ name: 'commonName', value: 'box.lan' }], { keyType: 'ec' })
  writeFileSync(cert, pair.cert)
  writeFileSync(key, pair.private)
  const { url, command, login } = await setup('--tls-cert', cert, '--tls-key', key)
  expect(await login(await fingerprintOf(url, command))).toMatchObject({ exitCode: 0 })
  expect(await command(['endpoint', 'list'])).toMatchObject({ exitCode: 0 })

  writeFileSync(cert, 'no certificate')
  const argv = [
    'serve',
    '--data',
    join(folder, 'data'),
    '--listen',
    address ?? '',
    '--tls-cert',
    cert,
    '--tls-key',
    key,
  ]
  const refused = await startCommand([...argv, '--port', '0'], { cwd: folder }).ended
  expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('The certificate cannot be used') })
})
