/** Empty inputs: such jobs run here, but, as users report, never on the platform. */
import type { Json } from '../json/json.ts'

/** The warning. Source: docs/spec/job-api.md, 2. */
export const EMPTY_INPUT =
  'The platform does not run jobs whose input is {}. Send a field, or let the endpoint refuse them (setting emptyInput).'

const EMPTY = /^\s*\{\s*\}\s*$/
// Nobody sends that many spaces.
const LONGEST = 100

/** Whether the JSON of an input has no field. */
export function isEmptyInput(input: Json): boolean {
  return input.length <= LONGEST && EMPTY.test(typeof input === 'string' ? input : input.toString())
}
