import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../src-main/contract/errors.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { type Asked, type SetupOptions, setup as setupService } from '../support/core.ts'
import { readEvents } from '../support/read-events.ts'

const COOKIE = 'drydock_session_8790'

async function setup(options?: SetupOptions) {
  const service = await setupService(options)
  const link = async (): Promise<string> => (await service.post('/api/session-links')).url

  /** Opens a link as a browser does, from an address bar. */
  async function open(url: string, headers: Record<string, string> = {}) {
    const { pathname, search } = new URL(url)
    const asked = { key: null, headers: { 'sec-fetch-site': 'none', ...headers } }
    const answer = await service.request('GET', pathname + search, asked)
    const cookie = answer.headers.get('set-cookie')
    return { status: answer.status, location: answer.headers.get('location'), cookie, text: await answer.text() }
  }

  async function signIn(): Promise<string> {
    return (await open(await link())).cookie?.split(';', 1)[0] ?? ''
  }

  /** Asks as a page of the service does, with this cookie. */
  async function withCookie(cookie: string, method = 'GET', path = '/api/info', asked: Asked = {}): Promise<string> {
    const headers = { cookie, 'sec-fetch-site': 'same-origin', ...asked.headers }
    const { status, body } = await service.ask(method, path, { key: null, ...asked, headers })
    return status === 200 ? '200' : `${status} ${body.code}`
  }
  return { ...service, link, open, signIn, withCookie }
}

describe('a link to sign in', () => {
  it('gives a browser a session and leads to the pages, without its code in their address', async () => {
    const { link, open, withCookie } = await setup()
    const url = await link()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8790\/sign-in\?code=[A-Za-z0-9_-]{43}$/)
    const { status, location, cookie, text } = await open(url)
    expect({ status, location, text }).toEqual({ status: 303, location: '/', text: '' })
    expect(cookie).toMatch(
      /^drydock_session_8790=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(await withCookie(cookie?.split(';', 1)[0] ?? '')).toBe('200')
  })

  it('leads to the page that it names', async () => {
    const { link, open } = await setup()
    const to = async (page: string) => (await open(`${await link()}&to=${encodeURIComponent(page)}`)).location
    expect(await to('/endpoints/hello/requests')).toBe('/endpoints/hello/requests')
    expect(await to('/workers?worker=a')).toBe('/workers?worker=a')
  })

  it.each([
    ['another host', 'https://evil.example/endpoints/x'],
    ['another host without a scheme', '//evil.example/endpoints'],
    ['another host behind a backslash', '/\\evil.example/endpoints'],
    ['another host behind a tab', '/\t/evil.example/endpoints'],
    ['a script', 'javascript:alert(1)'],
    ['an API', '/api/endpoints'],
    ['what workers answer', '/lb/web/'],
    ['an API behind dots', '/endpoints/../api/session'],
    ['no page', '/sign-in?code=x'],
    ['a further header', '/\r\nset-cookie: a=b'],
  ])('leads to the first page where it names %s', async (_what, page) => {
    const { link, open } = await setup()
    expect(await open(`${await link()}&to=${encodeURIComponent(page)}`)).toMatchObject({ status: 303, location: '/' })
  })

  it('that is void leads nowhere else', async () => {
    const { open } = await setup()
    expect((await open('http://127.0.0.1:8790/sign-in?code=x&to=%2Fendpoints%2Fe')).location).toBe('/?link=void')
  })

  it('works once', async () => {
    const { link, open } = await setup()
    const url = await link()
    await open(url)
    expect(await open(url)).toEqual({ status: 303, location: '/?link=void', cookie: null, text: '' })
  })

  it('works for a minute', async () => {
    const { clock, link, open } = await setup()
    const [early, late] = [await link(), await link()]
    await clock.advance(limit('sessionLinkMs') - 1)
    expect(await open(early)).toMatchObject({ location: '/' })
    await clock.advance(1)
    expect(await open(late)).toMatchObject({ location: '/?link=void', cookie: null })
  })

  it('that nobody made signs nobody in', async () => {
    const { open } = await setup()
    for (const code of ['', 'x', 'A'.repeat(43)])
      expect(await open(`http://127.0.0.1:8790/sign-in?code=${code}`)).toMatchObject({ cookie: null })
  })

  it('is followed from a page of another origin too, but not under a foreign host', async () => {
    const { link, open } = await setup()
    expect(await open(await link(), { 'sec-fetch-site': 'cross-site' })).toMatchObject({ location: '/' })
    expect(await open(await link(), { host: 'evil.example' })).toMatchObject({ status: 403, cookie: null })
  })

  it('is made with the account key alone', async () => {
    const { ask, createEndpoint } = await setup()
    const key = await createEndpoint()
    expect((await ask('POST', '/api/session-links', { key: null })).body).toMatchObject({ code: 'UNAUTHORIZED' })
    expect((await ask('POST', '/api/session-links', { key })).body).toMatchObject({ code: 'FORBIDDEN_KEY' })
  })

  it.each([0, 1])('makes room for newer ones, with %d more than may be open', async (more) => {
    const { link, open } = await setup()
    const first = await link()
    for (let made = 1; made < limit('sessionLinks') + more; made++) await link()
    expect((await open(first)).location).toBe(more === 0 ? '/' : '/?link=void')
  })
})

describe('a session', () => {
  it('opens what the account key opens, with events', async () => {
    const { signIn, withCookie, createEndpoint, request } = await setup()
    await createEndpoint()
    const cookie = await signIn()
    for (const path of ['/api/info', '/api/live', '/api/figures', '/v2/e/health', '/openapi.json'])
      expect([path, await withCookie(cookie, 'GET', path)]).toEqual([path, '200'])
    expect(await withCookie(cookie, 'POST', '/v2/e/run', { body: { input: {} } })).toBe('200')
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const events = readEvents(await request('GET', '/events?lastEventId=0', { key: null, headers }))
    expect((await events.next()).length).toBeGreaterThan(0)
    await events.close()
  })

  it.each([
    ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' }],
    ['a page of another port that hides its origin', { 'sec-fetch-site': 'same-site' }],
    ['a page of the network', { 'sec-fetch-site': 'cross-site' }],
    ['an old browser at a foreign page', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a foreign host', { host: 'evil.example' }],
  ])('does not count for %s', async (_who, headers) => {
    const { signIn, withCookie, storage } = await setup()
    const cookie = await signIn()
    const code = 'host' in headers ? '403 FORBIDDEN_HOST' : '403 FORBIDDEN_ORIGIN'
    const body = { name: 'made' }
    expect(await withCookie(cookie, 'POST', '/api/endpoints', { headers, body })).toBe(code)
    expect(await withCookie(cookie, 'GET', '/api/info', { headers })).toBe(code)
    expect(storage().endpoints.all()).toEqual([])
  })

  it('does not make up for a wrong key', async () => {
    const { signIn, withCookie } = await setup()
    expect(await withCookie(await signIn(), 'GET', '/api/info', { key: 'wrong' })).toBe('401 UNAUTHORIZED')
  })

  it('is nobody’s with another secret or under another name', async () => {
    const { signIn, withCookie } = await setup()
    const cookie = await signIn()
    const secret = cookie.slice(COOKIE.length + 1)
    const wrong = [`${COOKIE}=`, `${COOKIE}=x`, `${cookie}x`, `drydock_session=${secret}`, `x${cookie}`, '']
    for (const one of wrong) expect([one, await withCookie(one)]).toEqual([one, '401 UNAUTHORIZED'])
    expect(await withCookie(`theme=dark; ${cookie}; x=1`)).toBe('200')
    expect(await withCookie('', 'GET', '/api/info', { key: secret })).toBe('401 UNAUTHORIZED')
  })

  it('ends when its browser signs out, and no other does', async () => {
    const { signIn, withCookie, request } = await setup()
    const [one, other] = [await signIn(), await signIn()]
    const headers = { cookie: one, 'sec-fetch-site': 'same-origin' }
    const answer = await request('DELETE', '/api/session', { key: null, headers })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      200,
      `${COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    ])
    expect([await withCookie(one), await withCookie(other)]).toEqual(['401 UNAUTHORIZED', '200'])
  })

  it('ends with the account key, as open links do', async () => {
    const { signIn, withCookie, post, link, open } = await setup()
    const cookie = await signIn()
    const url = await link()
    await post('/api/account-key/rotate')
    expect(await withCookie(cookie)).toBe('401 UNAUTHORIZED')
    expect(await open(url)).toMatchObject({ location: '/?link=void' })
  })

  it('of a named key ends with it, and another key of that name does not bring it back', async () => {
    const { post, ask, open, withCookie } = await setup()
    const { key } = await post('/api/keys', { name: 'ada', role: 'read' })
    const { body } = await ask('POST', '/api/session-links', { key })
    const unused = (await ask('POST', '/api/session-links', { key })).body.url
    const cookie = (await open(body.url)).cookie?.split(';', 1)[0] ?? ''
    expect(await withCookie(cookie)).toBe('200')
    await ask('DELETE', '/api/keys/ada')
    expect(await withCookie(cookie)).toBe('401 UNAUTHORIZED')
    await post('/api/keys', { name: 'ada', role: 'admin' })
    expect(await withCookie(cookie)).toBe('401 UNAUTHORIZED')
    const late = (await open(unused)).cookie?.split(';', 1)[0] ?? ''
    expect(await withCookie(late)).toBe('401 UNAUTHORIZED')
  })

  it.each([
    ['a key', 'DELETE', '/api/keys/ada'],
    ['all sessions', 'DELETE', '/api/sessions'],
  ])(
    'and its key stay as they are where ending %s could not be stored, and can be ended again',
    async (_what, method, path) => {
      let isFull = false
      const { post, ask, open, withCookie } = await setup({
        storage: (opened) => ({
          ...opened,
          write: (run) => (isFull ? Promise.reject(new AppError('DISK_FULL')) : opened.write(run)),
        }),
      })
      const { key } = await post('/api/keys', { name: 'ada', role: 'admin' })
      const { body } = await ask('POST', '/api/session-links', { key })
      const cookie = (await open(body.url)).cookie?.split(';', 1)[0] ?? ''
      isFull = true
      expect((await ask(method, path)).body.code).toBe('DISK_FULL')
      expect(await withCookie(cookie)).toBe('200')
      isFull = false
      expect((await ask(method, path)).status).toBe(200)
      expect(await withCookie(cookie)).toBe('401 UNAUTHORIZED')
    },
  )

  it('ends after its time', async () => {
    const { clock, signIn, withCookie } = await setup()
    const cookie = await signIn()
    await clock.leap(limit('sessionMs') - 1)
    expect(await withCookie(cookie)).toBe('200')
    await clock.advance(1)
    expect(await withCookie(cookie)).toBe('401 UNAUTHORIZED')
  })

  it.each([0, 1])('makes room for newer ones, with %d more than may be', async (more) => {
    const { signIn, withCookie } = await setup()
    const first = await signIn()
    for (let made = 1; made < limit('sessions') + more; made++) await signIn()
    expect(await withCookie(first)).toBe(more === 0 ? '200' : '401 UNAUTHORIZED')
  })

  it('outlives the service, and its secret is nowhere in the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-sessions-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { signIn, withCookie, restart, storage } = await setup({ file: join(folder, 'drydock.db') })
    const cookie = await signIn()
    await restart('in order')
    expect(await withCookie(cookie)).toBe('200')
    expect(JSON.stringify(storage().state.get('account.keySessions'))).not.toContain(cookie.slice(COOKIE.length + 1))
  })
})
