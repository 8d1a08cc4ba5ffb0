import { describe, expect, it } from 'vitest'
import { AppError } from '../../src-main/contract/errors.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { SOMEONE_ELSE } from '../../src-main/features/keys/rules.ts'
import { type Asked, databaseFile, type SetupOptions, setup as setupService } from '../support/core.ts'
import { readEvents } from '../support/read-events.ts'
import { readSignIn } from '../support/signed-in.ts'

const COOKIE = 'drydock_session_8790'

async function setup(options?: SetupOptions) {
  const service = await setupService(options)
  const link = async (): Promise<string> => (await service.post('/api/session-links')).url

  /** Opens a link as a browser does, from an address bar. */
  async function open(url: string, headers: Record<string, string> = {}, bindings?: object) {
    const { pathname, search } = new URL(url)
    const asked = { key: null, headers: { 'sec-fetch-site': 'none', ...headers }, ...(bindings && { bindings }) }
    const answer = await service.request('GET', pathname + search, asked)
    const { status } = answer
    return { status, location: answer.headers.get('location'), ...(await readSignIn(answer)) }
  }

  async function signIn(): Promise<Session> {
    return (await open(await link())).headers
  }

  /** Asks as a page of the service does, in this session. */
  async function within(
    session: Partial<Session>,
    method = 'GET',
    path = '/api/info',
    asked: Asked = {},
  ): Promise<string> {
    const headers = { 'sec-fetch-site': 'same-origin', ...session, ...asked.headers }
    const { status, body } = await service.ask(method, path, { key: null, ...asked, headers })
    return status === 200 ? '200' : `${status} ${body.code}`
  }
  return { ...service, link, open, signIn, within }
}

type Session = Awaited<ReturnType<typeof readSignIn>>['headers']

describe('a link to sign in', () => {
  it('gives a browser a session and leads to the pages, without its code in their address', async () => {
    const { link, open, within } = await setup()
    const url = await link()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8790\/sign-in\?code=[A-Za-z0-9_-]{43}$/)
    const { status, page, setCookie, pageKey, headers } = await open(url)
    expect({ status, page }).toEqual({ status: 200, page: '/' })
    expect(setCookie).toMatch(
      /^drydock_session_8790=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(pageKey).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await within(headers)).toBe('200')
  })

  it('leads to the page that it names', async () => {
    const { link, open } = await setup()
    const to = async (page: string) => (await open(`${await link()}&to=${encodeURIComponent(page)}`)).page
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
    expect(await open(`${await link()}&to=${encodeURIComponent(page)}`)).toMatchObject({ status: 200, page: '/' })
  })

  it('that is void leads nowhere else', async () => {
    const { open } = await setup()
    expect((await open('http://127.0.0.1:8790/sign-in?code=x&to=%2Fendpoints%2Fe')).location).toBe('/?link=void')
  })

  it('works once', async () => {
    const { link, open } = await setup()
    const url = await link()
    await open(url)
    expect(await open(url)).toMatchObject({ status: 303, location: '/?link=void', setCookie: null, pageKey: '' })
  })

  it('works for a minute', async () => {
    const { clock, link, open } = await setup()
    const [early, late] = [await link(), await link()]
    await clock.advance(limit('sessionLinkMs') - 1)
    expect(await open(early)).toMatchObject({ page: '/' })
    await clock.advance(1)
    expect(await open(late)).toMatchObject({ location: '/?link=void', setCookie: null })
  })

  it('that was never issued signs no one in', async () => {
    const { open } = await setup()
    for (const code of ['', 'x', 'A'.repeat(43)])
      expect(await open(`http://127.0.0.1:8790/sign-in?code=${code}`)).toMatchObject({ setCookie: null })
  })

  it('is followed from a page of another origin too, but not under a foreign host', async () => {
    const { link, open } = await setup()
    expect(await open(await link(), { 'sec-fetch-site': 'cross-site' })).toMatchObject({ page: '/' })
    expect(await open(await link(), { host: 'evil.example' })).toMatchObject({ status: 403, setCookie: null })
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
    expect((await open(first)).location).toBe(more === 0 ? null : '/?link=void')
  })
})

describe('a link for one user of the machine', () => {
  /** Two users: the connection from port 1 belongs to the user 1001, the one from port 2 to 1002, from 3 to nobody. */
  async function setupUsers() {
    const service = await setup({
      host: (host) => ({
        ...host,
        userOf: async ({ remotePort = 3 }) => [undefined, 1001, 1002, undefined, 0, SOMEONE_ELSE][remotePort],
      }),
    })
    const from = (remotePort: number) => ({ incoming: { socket: { remotePort } } })
    const create = async (port: number) =>
      (await service.ask('POST', '/api/session-links?sameUser=true', { bindings: from(port) })).body
    const open = async (url: string, port: number) => service.open(url, {}, from(port))
    return { ...service, create, open }
  }

  it('does not sign in the browser of another one, and still works for its own', async () => {
    const { create, open, within } = await setupUsers()
    const { url, sameUser } = await create(1)
    expect(sameUser).toBe(true)
    expect(await open(url, 2)).toMatchObject({
      status: 303,
      location: '/?link=other-user',
      setCookie: null,
      pageKey: '',
    })
    expect(await within((await open(url, 1)).headers)).toBe('200')
    expect(await open(url, 2)).toMatchObject({ location: '/?link=void' })
  })

  it('works for root and from other machines', async () => {
    const { create, open } = await setupUsers()
    expect(await open((await create(1)).url, 4)).toMatchObject({ page: '/' })
    expect(await open((await create(1)).url, 3)).toMatchObject({ page: '/' })
  })

  it('is a link for anyone if the user is only known not to be that of the service, and reports it', async () => {
    const { create } = await setupUsers()
    expect((await create(5)).sameUser).toBe(false)
  })

  it('is a link for anyone if the user is unknown, and reports it', async () => {
    const { create, open, link } = await setupUsers()
    const { url, sameUser } = await create(3)
    expect(sameUser).toBe(false)
    expect(await open(url, 2)).toMatchObject({ page: '/' })
    expect(await open(await link(), 2)).toMatchObject({ page: '/' })
  })
})

describe('a link that is asked for while the key of its caller is replaced', () => {
  it('is refused: its session would outlive the key', async () => {
    let rotate: () => Promise<unknown> = async () => undefined
    const service = await setup({
      host: (host) => ({
        ...host,
        async userOf() {
          await rotate()
          return 1001
        },
      }),
    })
    rotate = () => service.service().rotateAccountKey()
    const { status, body } = await service.ask('POST', '/api/session-links?sameUser=true')
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('a session', () => {
  it('needs both of its secrets: a cookie alone, which other ports get too, opens nothing', async () => {
    const { signIn, within, createEndpoint } = await setup()
    await createEndpoint()
    const [{ cookie, 'x-drydock-page-key': pageKey }, other] = [await signIn(), await signIn()]
    const paths = ['/api/info', '/v2/e/health', '/events', '/openapi.json', '/api/assets?pageKey=']
    for (const path of paths) expect([path, await within({ cookie }, 'GET', path)]).toEqual([path, '401 UNAUTHORIZED'])
    expect(await within({ 'x-drydock-page-key': pageKey })).toBe('401 UNAUTHORIZED')
    expect(await within({ cookie, 'x-drydock-page-key': other['x-drydock-page-key'] })).toBe('401 UNAUTHORIZED')
  })

  it('accepts the page key in addresses for GET only', async () => {
    const { signIn, within } = await setup()
    const { cookie, 'x-drydock-page-key': pageKey } = await signIn()
    const address = (path: string) => `${path}?pageKey=${pageKey}`
    expect(await within({ cookie }, 'GET', address('/api/assets'))).toBe('200')
    const body = { name: 'made' }
    expect(await within({ cookie }, 'POST', address('/api/endpoints'), { body })).toBe('401 UNAUTHORIZED')
  })

  it('opens what the account key opens, with events', async () => {
    const { signIn, within, createEndpoint, request } = await setup()
    await createEndpoint()
    const session = await signIn()
    for (const path of ['/api/info', '/api/live', '/api/figures', '/v2/e/health', '/openapi.json'])
      expect([path, await within(session, 'GET', path)]).toEqual([path, '200'])
    expect(await within(session, 'POST', '/v2/e/run', { body: { input: {} } })).toBe('200')
    const events = readEvents(await request('GET', '/events?lastEventId=0', { key: null, headers: session }))
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
    const { signIn, within, storage } = await setup()
    const session = await signIn()
    const code = 'host' in headers ? '403 FORBIDDEN_HOST' : '403 FORBIDDEN_ORIGIN'
    const body = { name: 'made' }
    expect(await within(session, 'POST', '/api/endpoints', { headers, body })).toBe(code)
    expect(await within(session, 'GET', '/api/info', { headers })).toBe(code)
    expect(storage().endpoints.all()).toEqual([])
  })

  it('does not make up for a wrong key', async () => {
    const { signIn, within } = await setup()
    expect(await within(await signIn(), 'GET', '/api/info', { key: 'wrong' })).toBe('401 UNAUTHORIZED')
  })

  it('is rejected with another secret or under another name', async () => {
    const { signIn, within } = await setup()
    const session = await signIn()
    const { cookie, 'x-drydock-page-key': pageKey } = session
    const secret = cookie.slice(COOKIE.length + 1)
    const wrong = [`${COOKIE}=`, `${COOKIE}=x`, `${cookie}x`, `drydock_session=${secret}`, `x${cookie}`, '']
    for (const one of wrong) expect([one, await within({ ...session, cookie: one })]).toEqual([one, '401 UNAUTHORIZED'])
    expect(await within({ ...session, cookie: `theme=dark; ${cookie}; x=1` })).toBe('200')
    for (const key of [secret, pageKey]) expect(await within({}, 'GET', '/api/info', { key })).toBe('401 UNAUTHORIZED')
  })

  it('ends when its browser signs out, and no other does', async () => {
    const { signIn, within, request } = await setup()
    const [one, other] = [await signIn(), await signIn()]
    const answer = await request('DELETE', '/api/session', { key: null, headers: one })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      200,
      `${COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    ])
    expect([await within(one), await within(other)]).toEqual(['401 UNAUTHORIZED', '200'])
  })

  it('ends with the account key, as open links do', async () => {
    const { signIn, within, post, link, open } = await setup()
    const session = await signIn()
    const url = await link()
    await post('/api/account-key/rotate')
    expect(await within(session)).toBe('401 UNAUTHORIZED')
    expect(await open(url)).toMatchObject({ location: '/?link=void' })
  })

  it('of a named key ends with it, and another key of that name does not bring it back', async () => {
    const { post, ask, open, within } = await setup()
    const { key } = await post('/api/keys', { name: 'ada', role: 'read' })
    const { body } = await ask('POST', '/api/session-links', { key })
    const unused = (await ask('POST', '/api/session-links', { key })).body.url
    const session = (await open(body.url)).headers
    expect(await within(session)).toBe('200')
    await ask('DELETE', '/api/keys/ada')
    expect(await within(session)).toBe('401 UNAUTHORIZED')
    await post('/api/keys', { name: 'ada', role: 'admin' })
    expect(await within(session)).toBe('401 UNAUTHORIZED')
    const late = (await open(unused)).headers
    expect(await within(late)).toBe('401 UNAUTHORIZED')
  })

  it.each([
    ['a key', '/api/keys/ada', 401],
    ['all sessions', '/api/sessions', 200],
  ])(
    'and its key stay as they are if ending %s could not be stored, and stay ended after a retry and a restart',
    async (_what, path, ofKey) => {
      let isFull = false
      const { post, ask, open, within, restart } = await setup({
        file: databaseFile(),
        storage: (opened) => ({
          ...opened,
          write: (run) => (isFull ? Promise.reject(new AppError('DISK_FULL')) : opened.write(run)),
        }),
      })
      const { key } = await post('/api/keys', { name: 'ada', role: 'admin' })
      const { body } = await ask('POST', '/api/session-links', { key })
      const session = (await open(body.url)).headers
      isFull = true
      expect((await ask('DELETE', path)).body.code).toBe('DISK_FULL')
      expect(await within(session)).toBe('200')
      isFull = false
      await restart('killed')
      expect(await within(session)).toBe('200')
      expect((await ask('DELETE', path)).status).toBe(200)
      await restart('killed')
      expect(await within(session)).toBe('401 UNAUTHORIZED')
      expect((await ask('GET', '/api/info', { key })).status).toBe(ofKey)
    },
  )

  it('ends after its time', async () => {
    const { clock, signIn, within } = await setup()
    const session = await signIn()
    await clock.leap(limit('sessionMs') - 1)
    expect(await within(session)).toBe('200')
    await clock.advance(1)
    expect(await within(session)).toBe('401 UNAUTHORIZED')
  })

  it.each([0, 1])('makes room for newer ones, with %d more than may be', async (more) => {
    const { signIn, within } = await setup()
    const first = await signIn()
    for (let made = 1; made < limit('sessions') + more; made++) await signIn()
    expect(await within(first)).toBe(more === 0 ? '200' : '401 UNAUTHORIZED')
  })

  it('outlives the service, and its secret is nowhere in the database', async () => {
    const { signIn, within, restart, storage } = await setup({ file: databaseFile() })
    const session = await signIn()
    await restart('in order')
    expect(await within(session)).toBe('200')
    const stored = JSON.stringify(storage().state.get('account.pageSessions'))
    expect(stored).toContain('pageHash')
    for (const secret of [session.cookie.slice(COOKIE.length + 1), session['x-drydock-page-key']])
      expect(stored).not.toContain(secret)
  })
})
