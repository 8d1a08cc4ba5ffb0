/** Empty inputs: these jobs run here but, as users report, never on the platform. */
import type { Json } from '../../../lib/json/bytes.ts'

export const EMPTY_INPUT =
  'The platform does not run jobs whose input is {}. Send a field, or let the endpoint refuse them (setting emptyInput).'

const EMPTY = /^\s*\{\s*\}\s*$/
const LONGEST = 100

export function isEmptyInput(input: Json): boolean {
  return input.length <= LONGEST && EMPTY.test(typeof input === 'string' ? input : input.toString())
}
