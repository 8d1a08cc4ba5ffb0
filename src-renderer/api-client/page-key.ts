/**
 * The page key: the second secret of a session, which browsers give to pages of this origin only. Source: ours, see
 * services/sessions.ts.
 */
import { PAGE_KEY_META, PAGE_META } from '../../src-main/contract/pages.ts'
import { PAGE_KEY_HEADER, PAGE_KEY_QUERY } from '../../src-main/domain/auth.ts'

const STORED = 'drydock.pageKey'

const storedKey = () => globalThis.localStorage?.getItem(STORED) ?? undefined

/** Stores the page key of a browser that has just signed in, and replaces the address of the link with that of its page. */
export function keepPageKey({ document, history, localStorage }: Window): void {
  const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
  const pageKey = meta(PAGE_KEY_META)
  if (pageKey === undefined) return
  localStorage.setItem(STORED, pageKey)
  history.replaceState(null, '', meta(PAGE_META) ?? '/')
}

/** Adds the page key to a call. */
export function sendPageKey(init: RequestInit = {}): RequestInit {
  const pageKey = storedKey()
  if (pageKey === undefined) return init
  const headers = new Headers(init.headers)
  headers.set(PAGE_KEY_HEADER, pageKey)
  return { ...init, headers }
}

/** Adds the page key to the address of a picture, a download or an event stream, for which pages cannot set headers. */
export function withPageKey(address: string): string {
  const pageKey = storedKey()
  if (pageKey === undefined) return address
  return `${address}${address.includes('?') ? '&' : '?'}${PAGE_KEY_QUERY}=${encodeURIComponent(pageKey)}`
}
