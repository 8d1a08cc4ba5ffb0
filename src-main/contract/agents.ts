import type { Role } from './roles.ts'

/** Effects of tools, least first. dangerous: it changes settings or what runs, or deletes something. */
export const EFFECTS = ['reads', 'writes', 'dangerous'] as const

export type Effect = (typeof EFFECTS)[number]

/** The lesser of the key's role and the limit set by the agent's owner. */
export type Access = {
  /** Undefined while unknown: the service then refuses forbidden calls. */
  readonly role: Role | undefined
  readonly allows: Effect
}

export type AgentMessage = {
  readonly body: unknown
  readonly access: Access
  readonly name: string
  readonly key: string
}
