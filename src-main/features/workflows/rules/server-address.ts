import { limit } from '../../../contract/limits.ts'
import type { SERVER_CHANGES } from '../../../contract/workflows.ts'
import { asText } from '../../../lib/json/plain.ts'
import { LOOPBACK, LOOPBACK_NAMES } from '../../../lib/own-addresses.ts'

/** Parses addresses by pattern, as this layer has no URL class; invalid ones stay and fail in the contract. */

/** The default ports of ComfyUI: of the server, and of its desktop app. Source: docs/spec/image-workflows.md, 6.2. */
export const USUAL_SERVERS = ['http://127.0.0.1:8188', 'http://127.0.0.1:8000'] as const

// Up to the last @ before the path, because a password may contain one.
const CREDENTIALS = /^(https?:\/\/)[^/?#]*@/i
const PASSWORD = /^(https?:\/\/[^/?#:]*):[^/?#]*@/i

export function withoutCredentials(address: string): string {
  return address.replace(CREDENTIALS, '$1')
}

/** The same for its owner: the user name stays, to tell it from another one. */
export function withHiddenPassword(address: string): string {
  return address.replace(PASSWORD, '$1:***@')
}

export function serverText(address: string): string {
  return withoutCredentials(address)
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
}

export function isSameServer(one: string, other: string): boolean {
  return hostAndPath(one) === hostAndPath(other)
}

function hostAndPath(address: string): string {
  const port = /^https:/i.test(address) ? '443' : '80'
  const [, host = '', path = ''] = /^([^/]*)(.*)$/.exec(serverText(address)) ?? []
  const [, name = '', named = port] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase()) ?? []
  return `${LOOPBACK_NAMES.includes(name) ? LOOPBACK : name}:${named}${path}`
}

export type NamedServers = {
  readonly server?: string | undefined
  readonly moreServers?: readonly string[] | undefined
  readonly drainedServers?: readonly string[] | undefined
}

/** The servers of a bridge, in their order; the first one is `server 1` in texts. */
export function serversOf({ server, moreServers = [] }: NamedServers = {}): readonly string[] {
  return server === undefined ? [] : [server, ...moreServers]
}

export const hasSeveralServers = (workflows: NamedServers | undefined): boolean => serversOf(workflows).length > 1

/** Undefined, or the problem with servers that are named together. */
export function serversProblem(workflows: NamedServers | undefined): string | undefined {
  const { moreServers = [], drainedServers = [], server } = workflows ?? {}
  if (server === undefined && moreServers.length > 0) return 'more servers require a first one (workflows.server)'
  const all = serversOf(workflows)
  const most = limit('workflowServers')
  if (all.length > most) return `an endpoint has at most ${most} ComfyUI servers`
  const twice = all.find((one, at) => all.findIndex((other) => isSameServer(one, other)) !== at)
  if (twice !== undefined) return `${serverText(twice)} is listed twice`
  const unknown = drainedServers.find((drained) => !all.includes(drained))
  return unknown === undefined
    ? undefined
    : `${serverText(unknown)} is listed as drained, but is not one of the servers`
}

export type ServerChange = { readonly kind: (typeof SERVER_CHANGES)[number]; readonly address: string }

export function withServerChange<Named extends NamedServers>(
  workflows: Named,
  { kind, address }: ServerChange,
): Named | undefined {
  const { drainedServers = [] } = workflows
  const all = serversOf(workflows)
  const named = all.find((one) => isSameServer(one, address))
  if (kind !== 'add' && named === undefined) return undefined
  const [server, ...moreServers] =
    kind === 'add' ? [...all, address] : all.filter((one) => kind !== 'remove' || one !== named)
  const others = drainedServers.filter((one) => one !== named)
  return {
    ...workflows,
    ...{ server, moreServers },
    drainedServers: kind === 'drain' && named !== undefined ? [...others, named] : others,
  }
}

type Settings = Readonly<Record<string, unknown>>

const partOf = (settings: Settings) => (settings.workflows ?? {}) as { readonly server?: unknown }

export const serverOfEntry = (settings: Settings): string | undefined => asText(partOf(settings).server)

export function withServer(settings: Settings, server: string): Settings {
  return { ...settings, workflows: { ...partOf(settings), server } }
}
