/**
 * What a tool for coding agents is: a row of a table. Its handler calls the service as commands and pages do, over HTTP
 * with a key, so that what an agent may do is what its key may do; which tools are offered follows from the row.
 */
import { z } from 'zod'
import type { ServiceClient } from '../client/service-client.ts'
import { type Access, EFFECTS, type Effect } from '../contract/agents.ts'
import { isEnough, type Role } from '../contract/roles.ts'

/** A picture that an agent sees. */
export type Picture = { readonly base64: string; readonly mediaType: string }

/** What a tool answers. */
export type ToolAnswer = {
  readonly data: unknown
  readonly pictures?: readonly Picture[]
  /** There is more than `data` holds: how to get it. */
  readonly more?: string | undefined
}

/** What a person said to a question; `nobody`: the client of the agent cannot ask one. */
export type Confirmation = 'yes' | 'no' | 'nobody'

/** What a handler works with. */
export type ToolContext = {
  readonly client: ServiceClient
  /** ms since the epoch. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Ends when the agent gives the call up. */
  readonly signal: AbortSignal
  /** Tells how far it is, where the agent wants to know. */
  readonly report: (text: string) => void
  /** Asks the person who sits at the agent. */
  readonly confirm: (question: string) => Promise<Confirmation>
}

/** One tool. */
export type Tool = {
  readonly name: string
  readonly title: string
  /** For the model: what it answers and when to use it. */
  readonly description: string
  readonly input: z.ZodObject
  /** What a key must be allowed to do for its calls. */
  readonly role: Role
  readonly effect: Effect
  /** Done twice it is the same as done once. */
  readonly isIdempotent?: true
  /** How to get what a cut answer lacks. */
  readonly rest: string
  readonly run: (input: never, context: ToolContext) => Promise<ToolAnswer>
}

/** A row of the table, with the types of its input. */
export function tool<Shape extends z.ZodRawShape>(
  row: Omit<Tool, 'input' | 'run' | 'rest'> & {
    readonly input: Shape
    readonly rest?: string
    readonly run: (input: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<ToolAnswer>
  },
): Tool {
  return { rest: 'Ask for less, or for one thing by its id.', ...row, input: z.strictObject(row.input) }
}

/** Why a tool is not offered, for the agent and its person; undefined: it is. */
export function whyNotOffered({ name, role, effect }: Tool, access: Access): string | undefined {
  if (access.role !== undefined && !isEnough(access.role, role))
    return `The tool ${name} needs a key with the role ${role}, and this key has the role ${access.role}. A person can make one with \`drydock key add NAME --role ${role}\`.`
  if (EFFECTS.indexOf(effect) <= EFFECTS.indexOf(access.allows)) return undefined
  const [option, query] =
    effect === 'dangerous' ? ['--allow-dangerous', 'allow=dangerous'] : ['--allow-writes', 'allow=writes']
  return `The tool ${name} is off. A person can switch it on with \`drydock mcp ${option}\`, or \`?${query}\` in the address over HTTP.`
}
