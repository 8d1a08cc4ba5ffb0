import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { SERVICE_URL, setup as setupService } from '../support/core.ts'
import { openProxy, openWorker, readyWorker } from '../support/proxied.ts'

/** A load-balanced endpoint, a browser that is signed in, and what its worker got. */
async function setup() {
  const service = await setupService()
  const seen: IncomingMessage[] = []
  const port = await openWorker((incoming, response) => {
    seen.push(incoming)
    response.setHeader('set-cookie', 'drydock_session_8790=mine')
    response.setHeader('clear-site-data', '"cookies"')
    if (incoming.url === '/page') {
      response.setHeader('content-type', 'text/html')
      response.setHeader('cache-control', 'public, max-age=31536000')
      response.setHeader('expires', 'Fri, 01 Jan 2100 00:00:00 GMT')
    }
    if (incoming.url === '/leads') response.writeHead(307, { location: '/lb/web/api/endpoints/web' })
    response.end('well')
  })
  await service.createEndpoint('web', { loadBalanced: { port } })
  await readyWorker(service)
  const { send } = await openProxy(service)
  const { cookie, headers: session } = await service.signIn()
  /** As a script of a page of the service fetches it; headers that are given win, undefined ones are left out. */
  const fetchAs = async (method: string, headers: Readonly<Record<string, string | undefined>> = {}, path = '/x') => {
    const all = {
      ...session,
      cookie: `${cookie}; theme=dark`,
      'sec-fetch-dest': 'empty',
      ...(method === 'GET' ? {} : { origin: SERVICE_URL }),
      ...headers,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return send(`/lb/web${path}`, { method, key: null, headers: Object.fromEntries(given) })
  }
  return { ...service, seen, fetchAs, send, cookie }
}

describe('a session at a load-balanced endpoint', () => {
  it('lets scripts of our own pages in, and the worker sees nothing of it', async () => {
    const { fetchAs, seen } = await setup()
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await fetchAs(method)).toMatchObject({ status: 200, text: 'well' })
    expect(seen.map(({ headers }) => [headers.cookie, headers.authorization])).toEqual(
      Array(3).fill(['theme=dark', undefined]),
    )
  })

  it('changes nothing of the browser that holds it, whatever the worker answers', async () => {
    const { fetchAs, send } = await setup()
    const { headers } = await fetchAs('GET')
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('clear-site-data')
    expect((await send('/lb/web/x')).headers).toHaveProperty('set-cookie')
  })

  it('is not led elsewhere: the browser would do there what the worker wants', async () => {
    const { fetchAs, send } = await setup()
    const answer = await fetchAs('DELETE', {}, '/leads')
    expect(answer.status).toBe(307)
    expect(answer.headers).not.toHaveProperty('location')
    expect(answer.headers).toMatchObject({ 'x-drydock-location': '/lb/web/api/endpoints/web' })
    expect((await send('/lb/web/leads')).headers).toMatchObject({ location: '/lb/web/api/endpoints/web' })
  })

  it('leaves nothing that a browser keeps: a window would show the page of a worker as one of ours', async () => {
    const { fetchAs, send } = await setup()
    const { headers } = await fetchAs('GET', {}, '/page')
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-security-policy': 'sandbox' })
    expect(headers).not.toHaveProperty('expires')
    expect((await send('/lb/web/page')).headers).toMatchObject({ 'cache-control': 'public, max-age=31536000' })
  })

  it.each<[what: string, method: string, headers: Record<string, string | undefined>, status: number]>([
    ['a page of another origin', 'GET', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }, 403],
    ['a page of another site', 'POST', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['an image on a page of another port', 'GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'image' }, 403],
    ['a change without an Origin', 'POST', { origin: undefined }, 401],
    ['whoever says nothing of where it comes from', 'GET', { 'sec-fetch-site': undefined }, 401],
    ['a window, which would run what it shows', 'GET', { 'sec-fetch-dest': 'document' }, 401],
    ['an address that was typed', 'GET', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 401],
    ['a frame', 'GET', { 'sec-fetch-dest': 'iframe' }, 401],
    ['a service worker, which would stay', 'GET', { 'sec-fetch-dest': 'serviceworker' }, 401],
    ['a script', 'GET', { 'sec-fetch-dest': 'script' }, 401],
    ['a session that is not open', 'GET', { cookie: 'drydock_session_8790=x' }, 401],
    ['the host of the app itself', 'GET', { host: 'web.localhost:8790' }, 401],
  ])('does not let in %s', async (_what, method, headers, status) => {
    const { fetchAs, seen } = await setup()
    expect(await fetchAs(method, headers)).toMatchObject({ status })
    expect(seen).toEqual([])
  })

  it('does not help a wrong key', async () => {
    const { fetchAs } = await setup()
    expect(await fetchAs('GET', { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
  })
})
