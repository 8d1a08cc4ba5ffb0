import type { Distribution } from './distributions.ts'
import { normaliseName, parseRequirement } from './requirements.ts'

const EXTRA_CONDITION = /\bextra\s*==\s*["']([^"']+)["']/g
const EXTRAS = /^[^[\s;@]+\[([^\]]*)\]/

/**
 * What installed packages need of those that are left out: an artifact with pandas runs only where numpy is. Conditions of
 * extras are settled here, as only the artifact knows which were asked for; other conditions stay for the installer.
 * @param excludes normalised names
 * @param wanted requirement strings of the app, which may ask for extras
 * @returns requirement strings, each once, sorted
 */
export function neededOfImage(
  installed: readonly Distribution[],
  excludes: ReadonlySet<string>,
  wanted: readonly string[],
): string[] {
  const asked = askedExtras(installed, wanted)
  const found = installed.flatMap((one) => holding(one, asked)).flatMap((text) => readAll(text))
  return [...new Set(found.filter(({ name }) => excludes.has(name)).map(({ text }) => text))].sort()
}

/** The extras that are asked for, as `name[extra]`; looked for until none is added, as an extra may ask for others. */
function askedExtras(installed: readonly Distribution[], wanted: readonly string[]): ReadonlySet<string> {
  const asked = new Set<string>()
  for (let before = -1; before < asked.size; ) {
    before = asked.size
    const texts = [...wanted, ...installed.flatMap((one) => holding(one, asked))]
    for (const { name, text } of texts.flatMap(readAll)) {
      for (const extra of EXTRAS.exec(text)?.[1]?.split(',') ?? []) asked.add(`${name}[${extra}]`)
    }
  }
  return asked
}

/** The requirements of a package that hold with the extras asked for. One that names an extra loses its condition. */
function holding({ name, requires }: Distribution, asked: ReadonlySet<string>): string[] {
  return requires.flatMap((text) => {
    const extras = [...text.matchAll(EXTRA_CONDITION)].map(([, extra = '']) => normaliseName(extra))
    if (extras.length === 0) return [text]
    return extras.some((extra) => asked.has(`${name}[${extra}]`)) ? [text.replace(/\s*;.*$/, '')] : []
  })
}

/** What cannot be read is left to the installer, which read it too. */
function readAll(text: string) {
  const read = parseRequirement(text)
  return 'why' in read ? [] : [read]
}
