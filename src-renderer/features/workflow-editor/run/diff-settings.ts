import type { Setting } from './read-settings.ts'

/** A value that two runs do not have in common; undefined where one has none. */
export type SettingDifference = {
  readonly key: string
  readonly title: string
  readonly name: string
  readonly a: string | undefined
  readonly b: string | undefined
}

/** Where the settings of two runs differ. Those of the same node and input belong together. */
export function diffSettings(a: readonly Setting[], b: readonly Setting[]): readonly SettingDifference[] {
  const keyOf = ({ node, input }: Setting) => `${node} ${input}`
  const [ofA, ofB] = [new Map(a.map((one) => [keyOf(one), one])), new Map(b.map((one) => [keyOf(one), one]))]
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) => {
    const [one, other] = [ofA.get(key), ofB.get(key)]
    if (one?.value === other?.value) return []
    const { title = '', name = '', node = '' } = one ?? other ?? {}
    return [{ key, title: `${title} (${node})`, name, a: one?.value, b: other?.value }]
  })
}
