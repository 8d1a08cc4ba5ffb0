/**
 * The page of an address of the window, from the origin on. The first page for all that is none: a link to sign in, which
 * works once, or what the browser shows in place of a page.
 */
export function pageOfAddress(address: string): string {
  if (!URL.canParse(address)) return '/'
  const { protocol, pathname, search, hash } = new URL(address)
  return protocol === 'http:' && pathname !== '/sign-in' ? `${pathname}${search}${hash}` : '/'
}
