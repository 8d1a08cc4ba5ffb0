/**
 * Takes the key out of an Authorization header: `Bearer KEY`, any case, or the bare key. Source: spec 5.
 * @returns undefined when there is none
 */
export function keyFromHeader(header: string | undefined): string | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const key = /^bearer\s+/i.test(text) ? text.replace(/^bearer\s+/i, '') : text
  return key === '' || /^bearer$/i.test(key) || /\s/.test(key) ? undefined : key
}

/** Hosts under which the service answers. `own` holds host:port pairs in lower case. */
export function isOwnHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  return host !== undefined && own.has(host.toLowerCase())
}

/** Whether a request may come from the page that sent it. No Origin means that no page did. */
export function isOwnOrigin(origin: string | undefined, own: ReadonlySet<string>): boolean {
  if (origin === undefined) return true
  return origin.startsWith('http://') && own.has(origin.slice('http://'.length).toLowerCase())
}
