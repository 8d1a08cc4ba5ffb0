/** Which files of an installed set go when packages are left out. */
import { normaliseName } from './requirements.ts'

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
 * Reads RECORD: lines of path, hash, size, where a path with commas is in quotes. Files beside the packages are recorded
 * as `../../bin/x`; an install into one folder puts them at `bin/x`. A path that leaves the folder is dropped.
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
  const kept = reachable(distributions, wanted, excluded)
  const ofExcluded = reachable(distributions, installed, new Set())
  const goes = ({ name }: Distribution) => ofExcluded.has(name) && !kept.has(name)
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
