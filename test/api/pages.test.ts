import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { APP_ROUTES } from '../../src-main/contract/app-routes.ts'
import { liveSnapshot, serviceStats } from '../../src-main/contract/live.ts'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'
import { V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import type { PageFiles } from '../../src-main/http/pages.ts'
import { setup } from '../support/core.ts'

const file = (text: string, type: string) => ({ body: new TextEncoder().encode(text), type })
const PAGES: PageFiles = {
  index: async () => file('<!doctype html><title>pages</title>', 'text/html; charset=utf-8'),
  asset: async (name) => (name === 'main-1.js' ? file('run()', 'text/javascript; charset=utf-8') : undefined),
}
const WITHOUT_KEY = { key: null }

describe('the pages', () => {
  it('are the answer at every page address, without a key, and from links of other sites', async () => {
    const { request } = await setup({ pages: PAGES })
    const paths = ['/', ...PAGE_SECTIONS.flatMap((section) => [`/${section}`, `/${section}/a/b`])]
    for (const path of paths) {
      const answer = await request('GET', path, { key: null, headers: { 'sec-fetch-site': 'cross-site' } })
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, '<!doctype html><title>pages</title>'])
    }
  })

  it('run no script but their own, are never framed, and are asked for each time', async () => {
    const { request } = await setup({ pages: PAGES })
    const { headers } = await request('GET', '/', WITHOUT_KEY)
    const policy = headers.get('content-security-policy')?.split('; ') ?? []
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "frame-ancestors 'none'",
      ]),
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-cache')
  })

  it('allow exactly the inline scripts of the built page', async () => {
    const html = '<script>run(1)</script><script type="module" src="/assets/main-1.js"></script>'
    const { request } = await setup({ pages: { ...PAGES, index: async () => file(html, 'text/html') } })
    const { headers } = await request('GET', '/', WITHOUT_KEY)
    const allowed = `'sha256-${createHash('sha256').update('run(1)').digest('base64')}'`
    expect(headers.get('content-security-policy')).toContain(`; script-src 'self' ${allowed}; `)
  })

  it('load files that a browser keeps, as their names change with them', async () => {
    const { request } = await setup({ pages: PAGES })
    const answer = await request('GET', '/assets/main-1.js', WITHOUT_KEY)
    expect([await answer.text(), answer.headers.get('cache-control'), answer.headers.get('content-type')]).toEqual([
      'run()',
      'public, max-age=31536000, immutable',
      'text/javascript; charset=utf-8',
    ])
  })

  it('answer a file that does not exist with an error, and not with the page', async () => {
    const { ask } = await setup({ pages: PAGES })
    for (const path of ['/assets/gone-2.js', '/assets/..%2findex.html', '/nowhere'])
      expect((await ask('GET', path, WITHOUT_KEY)).body).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  })

  it('say to a browser that there is no page at an address, and to others that there is no route', async () => {
    const { request } = await setup({ pages: PAGES })
    const inBrowser = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
    const answer = async (path: string, headers: Record<string, string>) => {
      const { status, headers: sent } = await request('GET', path, { key: null, headers })
      return [status, sent.get('content-type')?.split(';')[0]]
    }
    expect(await answer('/nowhere/at/all', inBrowser)).toEqual([404, 'text/html'])
    expect(await answer('/nowhere', { ...inBrowser, host: 'evil.example' })).toEqual([403, 'application/json'])
    for (const path of ['/v2/e/nothing', '/api/nothing'])
      expect(await answer(path, inBrowser)).toEqual([404, 'application/json'])
    expect(await answer('/nowhere', {})).toEqual([404, 'application/json'])
  })

  it('are not shown under a foreign host', async () => {
    const { ask } = await setup({ pages: PAGES })
    for (const path of ['/', '/jobs', '/assets/main-1.js'])
      expect((await ask('GET', path, { key: null, headers: { host: 'evil.example' } })).body).toMatchObject({
        code: 'FORBIDDEN_HOST',
      })
  })

  it('are replaced by a plain page where they are not built', async () => {
    const { request } = await setup()
    for (const path of ['/', '/jobs/x']) {
      const answer = await request('GET', path, WITHOUT_KEY)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('is running')])
    }
  })

  it('share no address with an API', () => {
    const first = (path: string) => path.split('/')[1] ?? ''
    const ofApis = [...Object.values(APP_ROUTES), ...Object.values(V2_ROUTES)].map(({ path }) => first(path))
    expect(ofApis.filter((name) => (PAGE_SECTIONS as readonly string[]).includes(name))).toEqual([])
  })
})

describe('the live state', () => {
  it('holds everything up to one event', async () => {
    const { createEndpoint, run, running, get, storage } = await setup()
    await createEndpoint()
    const { worker } = await running()
    await run()
    const { endpoints, workers, eventId } = liveSnapshot.parse(await get('/api/live'))
    expect(eventId).toBe(storage().events.lastId())
    expect(endpoints).toMatchObject([{ id: 'e', inQueue: 1, inProgress: 1, waitingReason: expect.any(String) }])
    expect(workers).toMatchObject([{ id: worker.id, endpointId: 'e', state: 'running' }])
  })

  it('has figures of the last hour, and the newest error', async () => {
    const { clock, createEndpoint, running, get } = await setup()
    await createEndpoint()
    expect((await get('/api/figures')).endpoints).toEqual([{ endpointId: 'e', submitted: Array(60).fill(0) }])
    const first = await running()
    await clock.advance(200)
    await first.worker.done(first.jobId, { error: 'no luck' })
    await clock.advance(60_000)
    const second = await running()
    await second.worker.done(second.jobId, { output: 1 })
    await clock.advance(20_000)
    const { endpoints } = serviceStats.parse(await get('/api/figures'))
    const [{ submitted, lastError, ...figures }] = endpoints as [(typeof endpoints)[number]]
    expect(figures).toMatchObject({
      endpointId: 'e',
      executionP50: expect.any(Number),
      executionP99: expect.any(Number),
    })
    expect(submitted.filter((count) => count > 0)).toEqual([1, 1])
    expect(lastError).toMatchObject({ jobId: first.jobId, error: 'no luck' })
    // Asked again, what was read before is not counted twice.
    expect(await get('/api/figures')).toMatchObject({ endpoints: [{ submitted }] })
    await clock.advance(3_600_000)
    expect((await get('/api/figures')).endpoints[0].submitted.filter((count: number) => count > 0)).toEqual([])
  })
})
