import type { JobListItem } from '../../src-main/contract/job.ts'
import type { Command } from '../store/app-slices.ts'
import { type Habits, scoreOf } from '../store/habits.ts'
import type { StateDotProps } from '../ui/StateDot.tsx'

export type Entry = Command & {
  readonly state?: StateDotProps
  readonly found?: JobListItem['found']
  readonly title?: string
  /** Only found with this word, because an entry per endpoint would hide the endpoints. */
  readonly onlyFor?: string
}

export type EntryGroup = { readonly group: string; readonly entries: readonly Entry[] }

/** Groups on every page, in order, after those of the page itself. */
export const GROUPS = [
  'New',
  'Recent',
  'Endpoints',
  'Jobs',
  'Search',
  'Workflows',
  'Nodes of this graph',
  'Settings',
  'Go to',
  'Window',
] as const

export type GeneralGroup = (typeof GROUPS)[number]

// Limits before typing for groups with thousands of things.
const MOST_UNTYPED: Readonly<Record<string, number>> = {
  New: 5,
  Recent: 6,
  Endpoints: 8,
  Jobs: 0,
  Workflows: 5,
  'Nodes of this graph': 0,
  Settings: 0,
}
const MOST = 20

export type Arrangement = { readonly typed: string; readonly uses: Habits['uses']; readonly now: number }

/**
 * Entries that match all typed words, by group: exact names first, then name matches, then by use, then prefixes.
 * Recently opened things are a group of their own.
 * @param entries for equal ids the page's entry wins: it has a key
 */
export function arrange(entries: readonly Entry[], { typed, uses, now }: Arrangement): readonly EntryGroup[] {
  const text = typed.trim().toLowerCase()
  const terms = text.split(/\s+/).filter((term) => term !== '')
  const rank = (entry: Entry): Ranked => ({ entry, fit: fitOf(entry, text, terms), use: scoreOf(uses[entry.id], now) })
  const group = (name: string, found: readonly Entry[]): EntryGroup => {
    const ranked =
      name === 'Recent' && text === ''
        ? found
        : found
            .map(rank)
            .sort(compare)
            .map(({ entry }) => entry)
    return { group: name, entries: ranked.slice(0, mostOf(name, text)) }
  }

  const found = entries.filter((entry) => holdsAll(entry, terms))
  const recent = group('Recent', found.filter(isRecent))
  const shown = new Set(recent.entries.map(({ id }) => id))
  const here = found.filter((entry) => groupIndex(entry.group) < 0)
  const everywhere = found.filter((entry) => groupIndex(entry.group) >= 0 && !isRecent(entry))
  const others = new Map([...everywhere, ...here].map((entry) => [entry.id, entry]))
  const byGroup = Map.groupBy(
    [...others.values()].filter(({ id }) => !shown.has(id)),
    (entry) => entry.group,
  )
  return [...[...byGroup].map(([name, ofGroup]) => group(name, ofGroup)), recent]
    .filter((one) => one.entries.length > 0)
    .sort((one, other) => groupIndex(one.group) - groupIndex(other.group))
}

type Ranked = { readonly entry: Entry; readonly fit: Fit; readonly use: number }
type Fit = { readonly tier: 0 | 1 | 2; readonly begins: boolean }

function compare(one: Ranked, other: Ranked): number {
  return other.fit.tier - one.fit.tier || other.use - one.use || Number(other.fit.begins) - Number(one.fit.begins)
}

const isRecent = (entry: Entry) => entry.group === 'Recent'

function mostOf(group: string, text: string): number {
  if (groupIndex(group) < 0) return Number.POSITIVE_INFINITY
  return text === '' ? (MOST_UNTYPED[group] ?? MOST) : MOST
}

const groupIndex = (group: string) => (GROUPS as readonly string[]).indexOf(group)

// Matches whole typed words: scattered letters match nearly everything in a long list.
function holdsAll(
  { id, group, label, detail = '', also = '', state, onlyFor }: Entry,
  terms: readonly string[],
): boolean {
  if (onlyFor !== undefined && !terms.includes(onlyFor)) return false
  const text = `${group} ${label} ${detail} ${also} ${state?.text ?? ''} ${id}`.toLowerCase()
  return terms.every((term) => text.includes(term))
}

function fitOf({ label, title = label }: Entry, text: string, terms: readonly string[]): Fit {
  const name = title.toLowerCase()
  const tier = name === text || label.toLowerCase() === text ? 2 : terms.every((term) => name.includes(term)) ? 1 : 0
  return { tier, begins: text !== '' && name.startsWith(text) }
}
