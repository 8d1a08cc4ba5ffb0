import type { z } from 'zod'
import { type SettingInput, withUnit } from './setting-input.ts'

type Issue = z.core.$ZodIssue

/** What the contract has against a value, in the words and the unit of its field. */
export function issueInWords(issue: Issue, input: SettingInput | undefined): string {
  const isNumber = input?.kind === 'number'
  const bound = (value: number | bigint) =>
    isNumber ? withUnit(Number(value) / (input.factor ?? 1), input.unit) : String(value)
  if (issue.code === 'too_big' && isNumber) return `must be at most ${bound(issue.maximum)}`
  if (issue.code === 'too_small' && isNumber) return `must be at least ${bound(issue.minimum)}`
  if (issue.code === 'too_big') return `is too long: at most ${issue.maximum} ${partsOf(issue.origin)}`
  if (issue.code === 'too_small') return 'must not be empty'
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'must be a whole number'
  // Its own words are in the contract.
  return issue.message
}

const partsOf = (origin: string) => (origin === 'string' ? 'characters' : 'entries')
