/** What the palette shows for what was typed, in which order: pure, so that it can be tested. */
import type { JobListItem } from '../../src-main/contract/job.ts'
import type { Command } from '../store/app-slices.ts'
import { type Habits, scoreOf } from '../store/habits.ts'
import type { StateDotProps } from '../ui/StateDot.tsx'

/** Something that can be chosen in the palette. */
export type Entry = Command & {
  /** How that is to which it leads. */
  readonly state?: StateDotProps
  /** The text in which a search found it. */
  readonly found?: JobListItem['found']
  /** All of what the label is the end of. */
  readonly title?: string
  /** Is found only where this word is typed, too: one for each endpoint, say, would hide the endpoints. */
  readonly onlyFor?: string
}

/** Entries under their heading. */
export type EntryGroup = { readonly group: string; readonly entries: readonly Entry[] }

/** The groups that are on every page, in their order. What a page offers itself stands before all of them. */
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

/** A group that is on every page. */
export type GeneralGroup = (typeof GROUPS)[number]

// Of things there may be thousands. Before anything is typed they are a reminder, and some are no use at all; then so
// many as can be looked through.
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

/** What was typed, and what a person does often. */
export type Arrangement = { readonly typed: string; readonly uses: Habits['uses']; readonly now: number }

/**
 * The entries that have all words that were typed, by their groups. Within a group an entry that is called just so
 * comes first, then those that have the words in their name, then what is used most, then what begins with the words.
 * What was opened lately stands there alone.
 * @param entries of two with one id that of the page stands: it has a key
 */
export function arrange(entries: readonly Entry[], { typed, uses, now }: Arrangement): readonly EntryGroup[] {
  const text = typed.trim().toLowerCase()
  const terms = text.split(/\s+/).filter((term) => term !== '')
  const rank = (entry: Entry): Ranked => ({ entry, fit: fitOf(entry, text, terms), use: scoreOf(uses[entry.id], now) })
  const group = (name: string, found: readonly Entry[]): EntryGroup => {
    // What was opened last comes first, however often something else was.
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
/** How well a name fits: it is the text; it has all words; something beside it has some. */
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

// Each word as it was typed: letters that are strewn over a name find nearly everything in a long list.
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
