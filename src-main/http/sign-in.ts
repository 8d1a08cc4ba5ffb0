/**
 * Exchanges a link's code for a session. The response is the page, as the page key fits neither an address nor a
 * cookie, which every local port sees.
 */
import type { Context } from 'hono'
import { limit } from '../contract/limits.ts'
import { PAGE_SECTIONS } from '../contract/pages.ts'
import { SERVICE_ROUTES } from '../contract/service-routes.ts'
import { sessionCookieName } from '../features/keys/rules.ts'
import type { GuardServices, ServiceBase, ServiceContext } from '../features/service-context.ts'
import { connectionOf, requireOwnAddress } from './guards.ts'
import { type PageFiles, signedInPage } from './pages.ts'
import { parseRequest } from './read-request.ts'

// No Secure: the service uses plain HTTP on loopback, where browsers differ in storing such cookies.
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

// Any origin works: an address that leaves it leaves ours too.
const PAGES = 'http://pages'

export async function signIn(
  c: Context,
  service: GuardServices & Pick<ServiceContext, 'host'>,
  files: PageFiles,
): Promise<Response> {
  requireOwnAddress(c, service)
  const { query } = await parseRequest(c, SERVICE_ROUTES.signIn, service)
  const secrets = await service.sessions.redeem(query.code, () => service.host.userOf(connectionOf(c)))
  if (typeof secrets === 'string') {
    const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
    return new Response(null, { status: 303, headers: { ...headers, location: `/?link=${secrets}` } })
  }
  const { cookie, pageKey } = secrets
  const maxAge = limit('sessionMs') / 1000
  const response = await signedInPage(c, service, files, { pageKey, page: pageOf(query.to) })
  response.headers.set('set-cookie', `${cookieName(service)}=${cookie}; Max-Age=${maxAge}; ${ATTRIBUTES}`)
  return response
}

export function forgetSession(c: Context, service: ServiceBase): void {
  c.header('set-cookie', `${cookieName(service)}=; Max-Age=0; ${ATTRIBUTES}`)
}

const cookieName = ({ info }: ServiceBase) => sessionCookieName(info().url)

function pageOf(address: string): string {
  if (!address.startsWith('/') || !URL.canParse(address, PAGES)) return '/'
  const { origin, pathname, search } = new URL(address, PAGES)
  const isPage = origin === PAGES && PAGE_SECTIONS.some((section) => section === pathname.split('/', 2)[1])
  return isPage ? `${pathname}${search}` : '/'
}
