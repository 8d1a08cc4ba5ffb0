export type SoakOptions = {
  readonly report: boolean
  readonly keep: boolean
  /** Only the tests of `npm run test:all` that prove rows. */
  readonly proofs: boolean
  /** Nothing: the report is written from the results that there are. */
  readonly last: boolean
  /** Part of the runs of each fault, above 0 and at most 1. */
  readonly share: number | undefined
  /** Arguments for vitest. */
  readonly rest: readonly string[]
}

/** @throws Error for an invalid share */
export function readSoakOptions(args: readonly string[]): SoakOptions {
  const at = args.indexOf('--share')
  const share = at === -1 ? undefined : Number(args[at + 1])
  if (share !== undefined && !(share > 0 && share <= 1)) throw new Error('--share takes a number above 0 and up to 1')
  const own = new Set(['--report', '--keep', '--proofs', '--last'])
  const rest = args.filter((arg, n) => !own.has(arg) && !(at !== -1 && (n === at || n === at + 1)))
  const has = (name: string) => args.includes(name)
  return { report: has('--report'), keep: has('--keep'), proofs: has('--proofs'), last: has('--last'), share, rest }
}
