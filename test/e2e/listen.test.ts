import http from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServeOptions, servedService } from '../support/served-service.ts'
import { startCommand } from './support-cli.ts'

// An address of this machine other than 127.0.0.1, on which a service that listens on loopback alone does not answer.
// All of 127.0.0.0/8 is this machine on Linux, and no other machine can reach it.
const BESIDE = '127.0.0.2'

/** A service started with these arguments. */
async function setup(...args: readonly string[]) {
  const service = servedService()
  const options: ServeOptions = { args }
  await service.start(options)
  const { port } = new URL(service.url())
  const key = service.read('data', 'account.key').trim()
  /** Asks the service on an address of this machine under a Host; gives the status, or why no connection came. */
  const ask = (address: string, host: string) =>
    new Promise<number | string>((resolve) => {
      const headers = { host, authorization: `Bearer ${key}` }
      http
        .get({ host: address, port, path: '/api/info', headers, agent: false }, (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
  return { service, port, ask }
}

test('a service answers on 127.0.0.1 and nowhere else', async () => {
  const { port, ask } = await setup()
  expect(await ask('127.0.0.1', `127.0.0.1:${port}`)).toBe(200)
  expect(await ask(BESIDE, `${BESIDE}:${port}`)).toBe('ECONNREFUSED')
})

test.each(['stop', 'kill'] as const)(
  'after a %s it listens on the same port again, so that open pages reconnect',
  async (end) => {
    const { service } = await setup()
    const before = service.url()
    await service[end]()
    await service.start()
    expect(service.url()).toBe(before)
    await service[end]()
    await service.start({ port: 'default' })
    expect(service.url()).toBe(before)
  },
)

test.each([[BESIDE], ['0.0.0.0']])(
  'with --listen %s it answers on the other address too, to no foreign Host',
  async (listen) => {
    const { port, ask } = await setup('--listen', listen)
    expect(await ask('127.0.0.1', `localhost:${port}`)).toBe(200)
    expect(await ask(BESIDE, `127.0.0.1:${port}`)).toBe(200)
    expect(await ask(BESIDE, `evil.example:${port}`)).toBe(403)
    expect(await ask('127.0.0.1', 'evil.example')).toBe(403)
  },
)

test('the address of --listen is a Host of its own', async () => {
  const { port, ask } = await setup('--listen', BESIDE)
  expect(await ask(BESIDE, `${BESIDE}:${port}`)).toBe(200)
})

test('--allow-host lets the Host of a tunnel in, and no other', async () => {
  const { port, ask } = await setup('--allow-host', '127.0.0.1:9000', '--allow-host', 'Box')
  for (const host of ['127.0.0.1:9000', 'box', `box:${port}`]) expect(await ask('127.0.0.1', host)).toBe(200)
  for (const host of ['127.0.0.1:9001', 'box:1', 'evil.example']) expect(await ask('127.0.0.1', host)).toBe(403)
})

test('--listen says what it means, where it is more than this machine', async () => {
  const { service, port } = await setup('--listen', '0.0.0.0')
  const { stderr } = await service.stop()
  expect(stderr).toContain(`warning: the service listens on 0.0.0.0, port ${port}, and not only on this machine.`)
  expect(stderr).toContain(`ssh -N -L ${port}:127.0.0.1:${port} user@this-machine`)
})

test.each([
  ['an address of another machine', ['--listen', '192.0.2.1'], 5, 'This machine does not have the address 192.0.2.1.'],
  ['a name', ['--listen', 'localhost'], 2, 'It must be an IP address, like 192.168.1.5 or 0.0.0.0.'],
  ['a Host with a scheme', ['--allow-host', 'http://box'], 2, 'It must be a host, like box or box.local:9000'],
])('%s is refused, and no service stays up', async (_what, args, code, why) => {
  const { folder } = servedService()
  const argv = ['serve', '--data', join(folder, 'data'), '--port', '0', ...args]
  const { exitCode, stderr } = await startCommand(argv, { cwd: folder }).ended
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(why) })
})
