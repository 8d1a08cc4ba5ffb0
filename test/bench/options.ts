import { parseArgs } from 'node:util'

/** What was asked for on the command line. */
export type Options = {
  readonly only: readonly string[] | undefined
  readonly rounds: number
  /** How long the idle service is watched, in s. */
  readonly idleSeconds: number
}

const USAGE = `npm run bench -- [--only NAME,NAME] [--rounds N] [--idle SECONDS]`

/** Reads the command line. @throws Error with the usage */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, rounds: { type: 'string' }, idle: { type: 'string' } },
  })
  const only = values.only?.split(',').map((name) => name.trim())
  const unknown = only?.filter((name) => !names.includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`${USAGE}\nunknown: ${unknown.join(', ')}; there are: ${names.join(', ')}`)
  return { only, rounds: positive(values.rounds ?? '5'), idleSeconds: positive(values.idle ?? '60') }
}

function positive(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${USAGE}\n${text} is not a whole number above 0`)
  return value
}
