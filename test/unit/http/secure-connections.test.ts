import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely, getCACertificates, rootCertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createSecureContexts, findCertificates } from '../../../src-main/http/server/certificates.ts'
import { listen } from '../../../src-main/http/server/listen.ts'

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function setup() {
  const data = dataFolder()
  const fetch = async (request: Request) => new Response(`${request.method} ${await request.text()}`)
  const listener = await listen(fetch, 0, { secure: { contextFor: createSecureContexts(data) } })
  onTestFinished(() => listener.close(0))
  const { authority } = await findCertificates(data)
  return { data, listener, port: listener.port, ca: readFileSync(authority, 'utf8') }
}

function answerOf(request: ReturnType<typeof plainRequest>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve(text))
    })
    request.on('error', reject)
    request.end(body)
  })
}

test('one port answers http and https, also bodies of several pieces', async () => {
  const { port, ca } = await setup()
  const body = 'x'.repeat(300_000)
  const options = { host: '127.0.0.1', port, method: 'POST', headers: { host: `localhost:${port}` } }
  expect(await answerOf(plainRequest(options), body)).toBe(`POST ${body}`)
  expect(await answerOf(secureRequest({ ...options, ca, servername: 'localhost' }), body)).toBe(`POST ${body}`)
  expect(await answerOf(secureRequest({ ...options, ca, servername: 'ships.localhost' }), 'y')).toBe('POST y')
})

test('a client that does not read its answer is cut off over https too', async () => {
  const data = dataFolder()
  const cut = Promise.withResolvers<unknown>()
  const fetch = async (request: Request) => {
    request.signal.addEventListener('abort', cut.resolve)
    return new Response(Buffer.alloc(64 * 1024 * 1024))
  }
  const connections = { sweepMs: 5, readerMs: 100, readerBytes: 1 }
  const listener = await listen(fetch, 0, { secure: { contextFor: createSecureContexts(data) }, connections })
  onTestFinished(() => listener.close(0))
  const ca = readFileSync((await findCertificates(data)).authority, 'utf8')
  const socket = connectSecurely({ host: '127.0.0.1', port: listener.port, ca, servername: 'localhost' })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined) // it is to be cut off
  await once(socket, 'secureConnect')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await cut.promise
})

test('names that are not of this machine get no certificate', async () => {
  const { port, ca } = await setup()
  const socket = connectSecurely({ host: '127.0.0.1', port, ca, servername: 'example.com' })
  const error = await new Promise<Error>((resolve) => socket.once('error', resolve))
  expect(error.message).toMatch(/alert|disconnected/)
})

test('nobody trusts it who was not led to its certificate', async () => {
  const { port } = await setup()
  const socket = connectSecurely({ host: '127.0.0.1', port, servername: 'localhost' })
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve))
  expect(error.code).toMatch(/SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/)
})

test('a client that says nothing does not keep the port from closing', async () => {
  const { listener, port } = await setup()
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await listener.close(0)
  await closed
})

test('the authority is made once, its key is private, and the bundle holds what programs trust anyway', async () => {
  const data = dataFolder()
  const [one, other] = await Promise.all([findCertificates(data), findCertificates(data)])
  expect(one).toEqual(other)
  const authority = readFileSync(one.authority, 'utf8')
  await findCertificates(data)
  expect(readFileSync(one.authority, 'utf8')).toBe(authority)
  expect(statSync(join(data, 'tls', 'authority.key')).mode & 0o777).toBe(0o600)
  const bundle = readFileSync(one.bundle, 'utf8')
  expect(bundle).toContain(authority.trim())
  expect(bundle).toContain(rootCertificates[0])
  const plain = bundle.replaceAll(/\s/g, '')
  for (const pem of getCACertificates('system')) expect(plain).toContain(pem.replaceAll(/\s/g, ''))
})
