/**
 * The page key is the second secret of a session, readable only by pages of this origin. Source: ours, see
 * features/keys/sessions.ts.
 */
import { PAGE_KEY_META, PAGE_META } from '../../src-main/contract/pages.ts'
import { PAGE_KEY_HEADER, PAGE_KEY_QUERY } from '../../src-main/features/keys/rules.ts'

const STORED = 'drydock.pageKey'

const storedKey = () => globalThis.localStorage?.getItem(STORED) ?? undefined

/** Stores the key after a sign-in, and removes the link from the address. */
export function keepPageKey({ document, history, localStorage }: Window): void {
  const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
  const pageKey = meta(PAGE_KEY_META)
  if (pageKey === undefined) return
  localStorage.setItem(STORED, pageKey)
  history.replaceState(null, '', meta(PAGE_META) ?? '/')
}

export function sendPageKey(init: RequestInit = {}): RequestInit {
  const pageKey = storedKey()
  if (pageKey === undefined) return init
  const headers = new Headers(init.headers)
  headers.set(PAGE_KEY_HEADER, pageKey)
  return { ...init, headers }
}

/** For pictures, downloads and event streams, whose headers pages cannot set. */
export function withPageKey(address: string): string {
  const pageKey = storedKey()
  if (pageKey === undefined) return address
  return `${address}${address.includes('?') ? '&' : '?'}${PAGE_KEY_QUERY}=${encodeURIComponent(pageKey)}`
}
