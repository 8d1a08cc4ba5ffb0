import type { Json } from '../../../lib/json/bytes.ts'

/**
 * Puts members at the front of an input, without parsing it.
 * @param input JSON of an object, or of a text that is such JSON
 * @param members JSON of an object with at least one member
 */
export function withMembers(input: Json, members: string): readonly Json[] {
  const start = typeof input === 'string' ? input.slice(0, 3) : String.fromCharCode(...input.subarray(0, 3))
  const isText = start.startsWith('"')
  const more = `${members.slice(0, -1)}${start.includes('{}') ? '' : ','}`
  return isText ? [`"${JSON.stringify(more).slice(1, -1)}`, after(input, 2)] : [more, after(input, 1)]
}

const after = (input: Json, from: number): Json =>
  typeof input === 'string' ? input.slice(from) : input.subarray(from)
