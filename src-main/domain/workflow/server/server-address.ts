/**
 * Addresses of ComfyUI servers. They are read with patterns, as this layer knows no URL; what is no address stays as it
 * is, and the contract refuses it elsewhere.
 */

/** Where a ComfyUI is at home: the port of the server, and the one of its desktop app. Source: image-workflows, Image workers, 2. */
export const USUAL_SERVERS = ['http://127.0.0.1:8188', 'http://127.0.0.1:8000'] as const

// Up to the last @ before the path: a password may have one too.
const CREDENTIALS = /^(https?:\/\/)[^/?#]*@/i
const PASSWORD = /^(https?:\/\/[^/?#:]*):[^/?#]*@/i

/** The address as it may be told: without user and password. */
export function withoutCredentials(address: string): string {
  return address.replace(CREDENTIALS, '$1')
}

/** The same for who set it: the user stays, so that it can be told from another one. */
export function withHiddenPassword(address: string): string {
  return address.replace(PASSWORD, '$1:***@')
}

/** What people call a server: `127.0.0.1:8188`. */
export function serverInWords(address: string): string {
  return withoutCredentials(address)
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
}

/** Whether two addresses lead to one server: whoever asks, with or without a slash, and by each name of this machine. */
export function isSameServer(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(address: string): string {
  const port = /^https:/i.test(address) ? '443' : '80'
  const [, host = '', path = ''] = /^([^/]*)(.*)$/.exec(serverInWords(address)) ?? []
  const name = host.toLowerCase().replace(/^(localhost|\[::1\])(?=:|$)/, '127.0.0.1')
  return `${/:\d+$/.test(name) ? name : `${name}:${port}`}${path}`
}
