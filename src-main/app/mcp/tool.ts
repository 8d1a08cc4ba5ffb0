/**
 * A table row whose handler calls the service with the agent's key, so it may do what that key may. The row also
 * decides whether it is offered.
 */
import { z } from 'zod'
import { type Access, EFFECTS, type Effect } from '../../contract/agents.ts'
import { isEnough, type Role } from '../../contract/roles.ts'
import type { ServiceClient } from '../client/service-client.ts'

export type Picture = { readonly base64: string; readonly mediaType: string }

export type ToolAnswer = {
  readonly data: unknown
  readonly pictures?: readonly Picture[]
  readonly more?: string | undefined
}

export type Confirmation = 'yes' | 'no' | 'nobody'

export type ToolContext = {
  readonly client: ServiceClient
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly report: (text: string) => void
  readonly confirm: (question: string) => Promise<Confirmation>
}

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly role: Role
  readonly effect: Effect
  readonly isIdempotent?: true
  readonly rest: string
  readonly run: (input: never, context: ToolContext) => Promise<ToolAnswer>
}

type Row<Shape extends z.ZodRawShape> = Pick<Tool, 'name' | 'title' | 'description' | 'isIdempotent'> & {
  readonly input: Shape
  readonly rest?: string
  readonly run: (input: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<ToolAnswer>
}

export function tool<Shape extends z.ZodRawShape>(row: Row<Shape> & Pick<Tool, 'role' | 'effect'>): Tool {
  return { rest: 'Ask for less, or for one thing by its id.', ...row, input: z.strictObject(row.input) }
}

/** A tool that changes nothing, so that every key and every agent may call it. */
export function readingTool<Shape extends z.ZodRawShape>(row: Row<Shape>): Tool {
  return tool({ ...row, role: 'read', effect: 'reads' })
}

export function whyNotOffered({ name, role, effect }: Tool, access: Access): string | undefined {
  if (access.role !== undefined && !isEnough(access.role, role))
    return `The tool ${name} needs a key with the role ${role}, and this key has the role ${access.role}. A person can make one with \`drydock key add NAME --role ${role}\`.`
  if (EFFECTS.indexOf(effect) <= EFFECTS.indexOf(access.allows)) return undefined
  const [option, query] =
    effect === 'dangerous' ? ['--allow-dangerous', 'allow=dangerous'] : ['--allow-writes', 'allow=writes']
  return `The tool ${name} is off. A person can switch it on with \`drydock mcp ${option}\`, or \`?${query}\` in the address over HTTP.`
}
