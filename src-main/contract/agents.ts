/** What coding agents may do here. Source: ours. */
import type { Role } from './roles.ts'

/** What a tool does, least first. dangerous: it changes settings or what runs, or deletes something. */
export const EFFECTS = ['reads', 'writes', 'dangerous'] as const

/** What a tool does. */
export type Effect = (typeof EFFECTS)[number]

/** What an agent may do: the least of what its key may do and what whoever connects it has allowed. */
export type Access = {
  /** Of the key; undefined: nobody knows it yet, and the service refuses what it may not do. */
  readonly role: Role | undefined
  /** The most that its tools may do. */
  readonly allows: Effect
}

/** A message of an agent over HTTP; who sent it has been checked. */
export type AgentMessage = {
  /** Its JSON. */
  readonly body: unknown
  readonly access: Access
  /** Name of the key, by which calls are counted. */
  readonly name: string
  readonly key: string
}
