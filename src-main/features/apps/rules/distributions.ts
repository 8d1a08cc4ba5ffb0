import { normaliseName, parseRequirement } from './requirements.ts'

export type Distribution = {
  readonly name: string
  readonly version: string
  readonly needs: readonly string[]
  readonly requires: readonly string[]
  readonly files: readonly string[]
}

export function readMetadata(text: string): Pick<Distribution, 'name' | 'version' | 'needs' | 'requires'> {
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? ''
  const values = (field: string) =>
    [...head.matchAll(new RegExp(`^${field}:[ \\t]*(.*)$`, 'gim'))].map((found) => (found[1] ?? '').trim())
  const requires = values('Requires-Dist')
  const needs = requires.flatMap((text) => /^[A-Za-z0-9][A-Za-z0-9._-]*/.exec(text)?.[0] ?? [])
  return {
    name: normaliseName(values('Name')[0] ?? ''),
    version: values('Version')[0] ?? '',
    needs: [...new Set(needs.map(normaliseName))],
    requires,
  }
}

/** Lines of RECORD hold path, hash and size. `../../bin/x` becomes `bin/x`; paths that leave the folder are dropped. */
export function readRecord(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const path = line.startsWith('"') ? /^"((?:[^"]|"")*)"/.exec(line)?.[1]?.replaceAll('""', '"') : line.split(',')[0]
    const inside = (path ?? '').replaceAll('\\', '/').replace(/^(\.\.\/)+/, '')
    const leaves =
      inside === '' || inside.startsWith('/') || /^[A-Za-z]:/.test(inside) || inside.split('/').includes('..')
    return leaves ? [] : [inside]
  })
}

/**
 * Removes excluded distributions and those only they need (torch brings gigabytes). Ignores markers, so rather too much
 * stays.
 * @returns names, and files used by no remaining distribution
 */
export function chooseRemovals(
  distributions: readonly Distribution[],
  excluded: ReadonlySet<string>,
  wanted: readonly string[],
): { readonly removed: readonly string[]; readonly files: readonly string[] } {
  const installed = distributions.filter(({ name }) => excluded.has(name)).map(({ name }) => name)
  const reached = reachable(distributions, wanted, excluded)
  const ofExcluded = reachable(distributions, installed, new Set())
  const goes = ({ name }: Distribution) => ofExcluded.has(name) && !reached.has(name)
  const stays = new Set(distributions.filter((one) => !goes(one)).flatMap(({ files }) => files))
  const going = distributions.filter(goes)
  return {
    removed: going.map(({ name }) => name).sort(),
    files: going.flatMap(({ files }) => files).filter((file) => !stays.has(file)),
  }
}

function reachable(
  distributions: readonly Distribution[],
  from: readonly string[],
  without: ReadonlySet<string>,
): Set<string> {
  const needs = new Map(distributions.map((one) => [one.name, one.needs]))
  const found = new Set<string>()
  const waiting = [...from]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || without.has(name)) continue
    found.add(name)
    waiting.push(...(needs.get(name) ?? []))
  }
  return found
}

const EXTRA_CONDITION = /\bextra\s*==\s*["']([^"']+)["']/g
const EXTRAS = /^[^[\s;@]+\[([^\]]*)\]/

/**
 * Returns requirements of remaining packages on excluded ones: pandas runs only with numpy. Resolves extras and keeps
 * other markers for the installer.
 * @returns sorted unique strings
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

/** Returns `name[extra]`, repeated to a fixed point, as extras may request others. */
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

function holding({ name, requires }: Distribution, asked: ReadonlySet<string>): string[] {
  return requires.flatMap((text) => {
    const extras = [...text.matchAll(EXTRA_CONDITION)].map(([, extra = '']) => normaliseName(extra))
    if (extras.length === 0) return [text]
    return extras.some((extra) => asked.has(`${name}[${extra}]`)) ? [text.replace(/\s*;.*$/, '')] : []
  })
}

function readAll(text: string) {
  const read = parseRequirement(text)
  return 'why' in read ? [] : [read]
}
