/** The page of `drydock comfy open`: who gets it, and what reaches the service. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPage, type PageOptions } from '../../../../src-main/features/comfyui-api/adapters/serve-page.ts'
import { listen } from '../../../../src-main/http/server/listen.ts'
import { MIB } from '../../../../src-main/lib/units.ts'
import { send } from '../../../support/web-client.ts'

async function setup(more: Partial<PageOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'comfy-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'index.html'), '<p>page')
  const asked: IncomingMessage[] = []
  const service = createServer((incoming, response) => {
    asked.push(incoming)
    response.end('from the service')
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  onTestFinished(() => void service.close().closeAllConnections())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const options = { folder, endpointId: 'sketch', service: { url, key: 'the-key' }, isSameUser: async () => true }
  const page = createPage({ ...options, ...more })
  const listener = await listen(() => new Response(null, { status: 404 }), 0, { streams: page })
  onTestFinished(() => listener.close(0))
  const { host, port, pathname, search } = new URL(page.linkAt(listener.port))
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send({ url: `http://127.0.0.1:${port}`, key: 'of-the-browser' }, path, { method, headers: { host, ...headers } })
  const link = pathname + search
  const signIn = async () => {
    const [cookie = ''] = (await ask(link)).headers['set-cookie'] ?? []
    return { cookie: cookie.replace(/;.*/, '') }
  }
  return { ask, asked, link, signIn, host, port, folder }
}

it('gives the page to the browser that opened the link, once', async () => {
  const { ask, link, asked } = await setup()
  expect((await ask('/')).status).toBe(401)
  const opened = await ask(link)
  expect([opened.status, opened.headers.location]).toEqual([303, '/'])
  const [cookie = ''] = opened.headers['set-cookie'] ?? []
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
  expect((await ask('/', { cookie })).text).toBe('<p>page')
  expect((await ask(link)).status).toBe(401)
  expect(asked).toEqual([])
})

it('forwards the rest to the host of the endpoint, with the key instead of what the browser sent', async () => {
  const { ask, asked, signIn, host } = await setup()
  const cookies = await signIn()
  const own = { ...cookies, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
  expect((await ask('/api/queue?a=1', own)).text).toBe('from the service')
  const [{ url, headers }] = asked as [IncomingMessage]
  expect([url, headers.authorization, headers.host]).toEqual([
    ...['/api/queue?a=1', 'Bearer the-key'],
    expect.stringMatching(/^sketch\.localhost:\d+$/),
  ])
  for (const name of ['cookie', 'origin', 'sec-fetch-site']) expect(headers).not.toHaveProperty(name)
})

it('forwards the body of any request as its body', async () => {
  const { asked, signIn, host, port } = await setup()
  const sent = request({ host: '127.0.0.1', port, headers: { host, ...(await signIn()) }, path: '/api/queue' })
  sent.setHeader('transfer-encoding', 'chunked')
  sent.end('GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n')
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
  expect(asked.map(({ url }) => url)).toEqual(['/api/queue'])
})

it('gives nothing to other pages and hosts, and no file outside of its folder', async () => {
  const { ask, asked, signIn } = await setup()
  const cookies = await signIn()
  for (const headers of [
    { host: '127.0.0.1:1' },
    { origin: 'http://example.com' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect((await ask('/', { ...cookies, ...headers } as Record<string, string>)).status).toBe(403)
  expect(asked).toEqual([])
  for (const path of ['/..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd'])
    expect((await ask(path, cookies)).text).toBe('from the service')
})

it('refuses the link of another user, and keeps it for its own', async () => {
  let isSame = false
  const { ask, link } = await setup({ isSameUser: async () => isSame })
  expect((await ask(link)).status).toBe(401)
  isSame = true
  expect((await ask(link)).status).toBe(303)
})

it('serves the page of the server if no folder is given', async () => {
  const { ask, signIn } = await setup({ folder: undefined })
  expect((await ask('/', await signIn())).text).toBe('from the service')
})

it('closes the file of a download that is aborted', async ({ skip }) => {
  skip(process.platform !== 'linux', 'open files are listed only by Linux')
  const { signIn, folder, host, port } = await setup()
  const file = join(folder, 'large.js')
  writeFileSync(file, Buffer.alloc(8 * MIB))
  const isOpen = () => readdirSync('/proc/self/fd').some((fd) => linkOf(`/proc/self/fd/${fd}`) === file)
  const download = request({ port, path: '/large.js', headers: { host, ...(await signIn()) } }).end()
  const [response] = await once(download, 'response')
  await expect.poll(isOpen).toBe(true)
  response.destroy()
  await expect.poll(isOpen).toBe(false)
})

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // closed in the meantime
  }
}
