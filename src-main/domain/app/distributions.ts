/**
 * Installed packages, by their own metadata: which files go when some are left out, and what the others need of an
 * image.
 */
import { normaliseName, parseRequirement } from './requirements.ts'

/** An installed distribution, as its own metadata tells it. */
export type Distribution = {
  /** Normalised. */
  readonly name: string
  readonly version: string
  /** Normalised names that it needs, under whatever condition. */
  readonly needs: readonly string[]
  /** The same as requirement strings, with their conditions. */
  readonly requires: readonly string[]
  /** Files by its RECORD, relative to the folder of the set, with forward slashes. */
  readonly files: readonly string[]
}

/** Reads METADATA: mail headers up to the first empty line. */
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

/**
 * Reads RECORD: lines of path, hash, size, where a path with commas is in quotes. Files beside the packages are
 * recorded as `../../bin/x`; an install into one folder puts them at `bin/x`. A path that leaves the folder is dropped.
 */
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
 * Chooses what goes: the excluded distributions and those that came only because an excluded one needs them, as the
 * base image has these too (torch brings gigabytes of them). Conditions of needs are not looked at, so that rather too
 * much stays.
 * @param wanted normalised names that the app itself asks for
 * @returns names, and the files that no remaining distribution has
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
 * What installed packages need of those that are left out: an artifact with pandas runs only where numpy is. Conditions
 * of extras are resolved here, as only the artifact knows which were asked for; other conditions stay for the
 * installer.
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
