/** The body of a job as it stands in the editor. The text is the truth; options of the job are fields within it. */
import { parseExact, writeExact } from '../../../../src-main/domain/json/exact-json.ts'

/** What a text is: a body that can be sent, or why it cannot. */
export type ReadBody =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: string }

/** Reads the text. */
export function readBody(text: string): ReadBody {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, fault: 'A body is a JSON object, like { "input": {} }.' }
    if (!isObject(value, 'input')) return { ok: false, fault: 'The body needs an "input" that is an object.' }
    return { ok: true, value: value as Readonly<Record<string, unknown>> }
  } catch (error) {
    return { ok: false, fault: `Not valid JSON yet: ${(error as Error).message}` }
  }
}

/** Whether a text is an object without `input`, as inputs are noted elsewhere. */
export function lacksInput(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !('input' in value)
  } catch {
    return false
  }
}

/** A body around an input. */
export function bodyAround(input: unknown): string {
  return writeExact({ input }, 2)
}

/** The options of a job, by where they stand in its body. */
export const OPTION_PATHS = {
  executionTimeout: ['policy', 'executionTimeout'],
  ttl: ['policy', 'ttl'],
  lowPriority: ['policy', 'lowPriority'],
  webhook: ['webhook'],
  idempotencyKey: ['idempotencyKey'],
} as const satisfies Record<string, readonly string[]>

/** Name of an option of a job. */
export type JobOption = keyof typeof OPTION_PATHS

/** The value of an option; undefined where it is not set. */
export function optionOf(body: Readonly<Record<string, unknown>>, option: JobOption): unknown {
  return OPTION_PATHS[option].reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    body,
  )
}

/** The text with an option set; undefined takes it out, and what is left empty by that. */
export function withOption(text: string, option: JobOption, value: unknown): string {
  const body = parseExact(text) as Record<string, unknown>
  const [first, second] = OPTION_PATHS[option] as readonly [string, string?]
  if (second === undefined) return written(setIn(body, first, value))
  const inner = isObject(body, first) ? (body[first] as Record<string, unknown>) : {}
  const changed = setIn(inner, second, value)
  return written(setIn(body, first, Object.keys(changed).length === 0 ? undefined : changed))
}

/** How many options are set. */
export function optionCount(body: Readonly<Record<string, unknown>>): number {
  return (Object.keys(OPTION_PATHS) as JobOption[]).filter((option) => optionOf(body, option) !== undefined).length
}

function setIn(fields: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _before, ...others } = fields
  return value === undefined ? others : { ...fields, [name]: value }
}

const written = (body: object) => writeExact(body, 2)

function isObject(value: object, name: string): boolean {
  const field = (value as Record<string, unknown>)[name]
  return typeof field === 'object' && field !== null && !Array.isArray(field)
}
