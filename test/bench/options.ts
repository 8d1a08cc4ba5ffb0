import { parseArgs } from 'node:util'

export type Options = {
  readonly only: readonly string[] | undefined
  readonly rounds: number
  /** How long the idle service is watched, in s. */
  readonly idleSeconds: number
  /** Whether PERFORMANCE.md is written, and whether from what was measured last. */
  readonly report: boolean
  readonly last: boolean
  /** Rows of growth go up to ten million jobs and log lines; filling the folders takes long. */
  readonly large: boolean
}

/** Rounds of a comparison without the option. */
export const FULL_ROUNDS = 5

const USAGE = `npm run bench -- [--only NAME,NAME] [--rounds N] [--idle SECONDS] [--large] [--report [--last]]`

/** Reads the command line. @throws Error with the usage */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: String(FULL_ROUNDS) },
      idle: { type: 'string', default: '60' },
      report: { type: 'boolean', default: false },
      last: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
    },
  })
  // `growth` stands for all rows whose names begin so.
  const only = values.only?.split(',').flatMap((name) => namedBy(name.trim(), names))
  const unknown = only?.filter((name) => !names.includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`${USAGE}\nunknown: ${unknown.join(', ')}; there are: ${names.join(', ')}`)
  const { report, last, large } = values
  if (last && !report) throw new Error(`${USAGE}\n--last needs --report`)
  return { only, rounds: positive(values.rounds), idleSeconds: positive(values.idle), report, last, large }
}

function namedBy(name: string, names: readonly string[]): readonly string[] {
  const family = names.filter((one) => one.startsWith(`${name}-`))
  return names.includes(name) || family.length === 0 ? [name] : family
}

function positive(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${USAGE}\n${text} is not a whole number above 0`)
  return value
}
