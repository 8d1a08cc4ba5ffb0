/**
 * GET /sign-in: turns the code of a link into a session. The code is all that is asked for, so that the link also works
 * from a page of another origin, like a chat; it is void before the answer is sent. Whatever comes of it, the answer
 * leads to the pages, which say what to do where there is no session; `to` names one of them.
 */
import type { Context } from 'hono'
import { limit } from '../contract/limits.ts'
import { PAGE_SECTIONS } from '../contract/pages.ts'
import { sessionCookieName } from '../domain/auth.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { requireOwnAddress } from './guards.ts'

/** Where links lead. */
export const SIGN_IN_PATH = '/sign-in'

// No Secure: the service speaks plain HTTP on loopback, where browsers differ on keeping such cookies.
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

/** Answers it. @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN */
export async function signIn(c: Context, service: ServiceContext): Promise<Response> {
  requireOwnAddress(c, service)
  const secret = await service.sessions.redeem(c.req.query('code') ?? '')
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  if (secret === undefined) return new Response(null, { status: 303, headers: { ...headers, location: '/?link=void' } })
  const cookie = `${sessionCookieName(service.info().url)}=${secret}; Max-Age=${limit('sessionMs') / 1000}; ${ATTRIBUTES}`
  const location = pageOf(c.req.query('to') ?? '')
  return new Response(null, { status: 303, headers: { ...headers, location, 'set-cookie': cookie } })
}

/** The page that an address from its `/` on names; the first one for all that is none, above all another host. */
function pageOf(address: string): string {
  if (!address.startsWith('/') || !URL.canParse(address, PAGES)) return '/'
  const { origin, pathname, search } = new URL(address, PAGES)
  const isPage = origin === PAGES && PAGE_SECTIONS.some((section) => section === pathname.split('/', 2)[1])
  return isPage ? `${pathname}${search}` : '/'
}

// Any origin: an address that leads away from it leads away from ours.
const PAGES = 'http://pages'

/** The header that makes a browser forget its session. */
export function endedSessionCookie(name: string): string {
  return `${name}=; Max-Age=0; ${ATTRIBUTES}`
}
