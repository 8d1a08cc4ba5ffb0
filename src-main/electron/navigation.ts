/** Where a window may go, and what it may use. All that no rule allows is refused. */
import { isEditorLink } from '../contract/editors.ts'
import { PAGE_SECTIONS } from '../contract/pages.ts'

/** What happens with an address that a window wants to go to. */
export type Passage = 'inside' | 'outside' | 'refused'

// What the browser of the system may be given. Not http: the ports of this machine are somebody's services, and a link in
// the output of a job is not to reach them.
const OUTSIDE: ReadonlySet<string> = new Set(['https:', 'mailto:'])
// The first parts of the addresses that are pages: what workers answer below /lb/ has the same origin, and is none.
const PAGES: ReadonlySet<string> = new Set(['', 'sign-in', ...PAGE_SECTIONS])
// The pages of a preview are those of another service of this machine, and are reached by a link of its own.
const PREVIEW = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\?/
// Chromium's names; a page copies by the first and has no need of the second but to ask.
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])

/**
 * Judges an address that a page wants to go to or open.
 * @param origin that of the service, like http://127.0.0.1:8790; undefined: none is up
 */
export function judgePassage(address: string, origin: string | undefined): Passage {
  if (!URL.canParse(address)) return 'refused'
  const url = new URL(address)
  // A name in the address is there to look like another host.
  if (url.username !== '' || url.password !== '') return 'refused'
  if (isPage(url, origin)) return 'inside'
  if (isEditorLink(address)) return 'outside'
  return OUTSIDE.has(url.protocol) || PREVIEW.test(url.href) || isOrigin(url, origin) ? 'outside' : 'refused'
}

/** Whether a page of this address or origin may use something. @param permission as Chromium names it */
export function mayUse(permission: string, from: string, origin: string | undefined): boolean {
  return PERMISSIONS.has(permission) && isOwn(from, origin)
}

/** Whether an address is one of the service's own pages. */
export function isOwn(address: string, origin: string | undefined): boolean {
  return URL.canParse(address) && isPage(new URL(address), origin)
}

function isPage(url: URL, origin: string | undefined): boolean {
  return isOrigin(url, origin) && PAGES.has(url.pathname.split('/', 2)[1] ?? '')
}

function isOrigin(url: URL, origin: string | undefined): boolean {
  // `blob:` addresses have the origin of who made them, and are no pages.
  return origin !== undefined && url.protocol === 'http:' && url.origin === origin
}
