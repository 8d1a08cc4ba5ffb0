import http from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServeOptions, servedService } from '../support/served-service.ts'
import { startCommand } from './support-cli.ts'

// An address of this machine other than 127.0.0.1, on which a service that listens on loopback alone does not answer.
// All of 127.0.0.0/8 is this machine on Linux, and no other machine can reach it.
const SECOND_ADDRESS = '127.0.0.2'

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

test('a service answers on 127.0.0.1 and nowhere else, and on the same port after a stop and a kill', async () => {
  const { service, port, ask } = await setup()
  expect(await ask('127.0.0.1', `127.0.0.1:${port}`)).toBe(200)
  expect(await ask(SECOND_ADDRESS, `${SECOND_ADDRESS}:${port}`)).toBe('ECONNREFUSED')
  const before = service.url()
  await service.stop()
  await service.start()
  expect(service.url()).toBe(before)
  await service.kill()
  await service.start({ port: 'default' })
  expect(service.url()).toBe(before)
})

async function expectOwnHosts({ port, ask }: Pick<Awaited<ReturnType<typeof setup>>, 'port' | 'ask'>) {
  expect(await ask('127.0.0.1', `localhost:${port}`)).toBe(200)
  expect(await ask(SECOND_ADDRESS, `127.0.0.1:${port}`)).toBe(200)
  expect(await ask(SECOND_ADDRESS, `evil.example:${port}`)).toBe(403)
  expect(await ask('127.0.0.1', 'evil.example')).toBe(403)
}

test('with --listen it answers on that address too, and with --allow-host to the Host of a tunnel, and to no other', async () => {
  const hosts = ['--allow-host', '127.0.0.1:9000', '--allow-host', 'Box']
  const { port, ask } = await setup('--listen', SECOND_ADDRESS, ...hosts)
  await expectOwnHosts({ port, ask })
  expect(await ask(SECOND_ADDRESS, `${SECOND_ADDRESS}:${port}`)).toBe(200)
  for (const host of ['127.0.0.1:9000', 'box', `box:${port}`]) expect(await ask('127.0.0.1', host)).toBe(200)
  for (const host of ['127.0.0.1:9001', 'box:1']) expect(await ask('127.0.0.1', host)).toBe(403)
})

test('with --listen 0.0.0.0 it answers on every address, and says what that means', async () => {
  const { service, port, ask } = await setup('--listen', '0.0.0.0')
  await expectOwnHosts({ port, ask })
  const { stderr } = await service.stop()
  expect(stderr).toContain(`warning: the service listens on 0.0.0.0, port ${port}, and not only on this machine.`)
  expect(stderr).toContain(`ssh -N -L ${port}:127.0.0.1:${port} user@this-machine`)
})

test('an address of another machine is refused, and no service stays up', async () => {
  const { folder } = servedService()
  const argv = ['serve', '--data', join(folder, 'data'), '--port', '0', '--listen', '192.0.2.1']
  expect(await startCommand(argv, { cwd: folder }).ended).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('This machine does not have the address 192.0.2.1.'),
  })
})
