/** The values of a choice: as words, and found by some of their letters. */

import type { InputType } from '../../../../src-main/domain/workflow/input-type.ts'
import { isArray, isObject, type JsonValue, sameJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'

/** A value that can be chosen. */
export type Choice = {
  readonly value: JsonValue
  readonly word: string
  /** What it does. */
  readonly detail?: string | undefined
}

/** The word for a value of a choice. */
export const choiceWord = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : writeJson(value)

/** The choices of an input; of one whose choice brings further inputs the names of those. */
export function choicesOf({ choices, options }: InputType): readonly Choice[] {
  const listed = options.get('options')
  const values =
    choices ?? (isArray(listed) ? listed.map((one) => (isObject(one) ? (one.get('key') ?? null) : one)) : [])
  return values.map((value) => ({ value, word: choiceWord(value) }))
}

/** The choices whose words hold all parts of what is searched for, in any case; those that begin with it first. */
export function findChoices(choices: readonly Choice[], search: string): readonly Choice[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return choices
  const parts = wanted.split(/\s+/)
  const found = choices.filter(({ word }) => {
    const lower = word.toLowerCase()
    return parts.every((part) => lower.includes(part))
  })
  const begins = ({ word }: Choice) => word.toLowerCase().startsWith(wanted)
  return [...found.filter(begins), ...found.filter((one) => !begins(one))]
}

/** The value with one of several chosen, or no longer. */
export function withChoice(value: JsonValue | undefined, choice: JsonValue): JsonValue {
  const chosen = isArray(value) ? value : value === undefined || value === '' ? [] : [value]
  const without = chosen.filter((one) => !sameJson(one, choice))
  return without.length < chosen.length ? without : [...chosen, choice]
}

/** Whether a value is chosen. */
export const isChosen = (value: JsonValue | undefined, choice: JsonValue): boolean =>
  isArray(value) ? value.some((one) => sameJson(one, choice)) : sameJson(value, choice)
