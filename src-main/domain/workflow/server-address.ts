import { LOOPBACK, LOOPBACK_NAMES } from '../own-addresses.ts'

/**
 * Addresses of ComfyUI servers. They are read with patterns, as this layer knows no URL; what is no address stays as it
 * is, and the contract refuses it elsewhere.
 */

/**
 * Where a ComfyUI is at home: the port of the server, and the one of its desktop app. Source:
 * docs/spec/image-workflows.md, 6.2.
 */
export const USUAL_SERVERS = ['http://127.0.0.1:8188', 'http://127.0.0.1:8000'] as const

// Up to the last @ before the path: a password may have one too.
const CREDENTIALS = /^(https?:\/\/)[^/?#]*@/i
const PASSWORD = /^(https?:\/\/[^/?#:]*):[^/?#]*@/i

/** The address as it may be shown: without user and password. */
export function withoutCredentials(address: string): string {
  return address.replace(CREDENTIALS, '$1')
}

/** The same for who set it: the user stays, so that it can be told from another one. */
export function withHiddenPassword(address: string): string {
  return address.replace(PASSWORD, '$1:***@')
}

/** What people call a server: `127.0.0.1:8188`. */
export function serverText(address: string): string {
  return withoutCredentials(address)
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
}

/**
 * Whether two addresses lead to one server: whoever asks, with or without a slash, and by each name of this machine.
 */
export function isSameServer(one: string, other: string): boolean {
  return hostAndPath(one) === hostAndPath(other)
}

function hostAndPath(address: string): string {
  const port = /^https:/i.test(address) ? '443' : '80'
  const [, host = '', path = ''] = /^([^/]*)(.*)$/.exec(serverText(address)) ?? []
  const [, name = '', named = port] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase()) ?? []
  return `${LOOPBACK_NAMES.includes(name) ? LOOPBACK : name}:${named}${path}`
}

type Settings = Readonly<Record<string, unknown>>

const partOf = (settings: Settings) => (settings.workflows ?? {}) as { readonly server?: unknown }

/** The ComfyUI server that an entry of the catalog passes graphs to; undefined: it runs them itself, or takes none. */
export function serverOfEntry(settings: Settings): string | undefined {
  const { server } = partOf(settings)
  return typeof server === 'string' ? server : undefined
}

/** The settings of an entry with another server. */
export function withServer(settings: Settings, server: string): Settings {
  return { ...settings, workflows: { ...partOf(settings), server } }
}
