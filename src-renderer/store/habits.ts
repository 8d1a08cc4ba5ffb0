/**
 * What a person does in this browser, for the palette: how often something was chosen, and what was opened lately. It
 * is read anew for each change, as several windows write it; it never leaves the browser.
 */
import { z } from 'zod'
import { DAY_MS } from '../../src-main/contract/units.ts'
import { parseStored } from '../platform/local-texts.ts'
import type { Platform } from '../platform/platform.ts'

const habits = z.object({
  uses: z.record(z.string(), z.object({ score: z.number(), at: z.number() })),
  opened: z.array(z.object({ to: z.string(), name: z.string() })),
})

/** How often each entry was chosen, by its id; the last opened thing comes first. */
export type Habits = Readonly<z.infer<typeof habits>>

/** How often something was chosen. `score` counts at the time `at`, ms since the epoch. */
export type Use = Habits['uses'][string]

/** A thing that was opened: its address and its name. */
export type Opened = Habits['opened'][number]

const PREFERENCE = 'habits'
// What was chosen a week ago counts half of what is chosen now. Source: ours, so that work of last month gives way.
const HALF_LIFE_MS = 7 * DAY_MS
// Source: ours. More are no habit, and all are written at each choice.
const USES = 200
const OPENED = 20

/** What counts of a use now; 0 without one. @param now ms since the epoch */
export function scoreOf(use: Use | undefined, now: number): number {
  // A clock that was set back makes nothing count more than it did.
  return use === undefined ? 0 : use.score * 0.5 ** (Math.max(0, now - use.at) / HALF_LIFE_MS)
}

/** The uses with one more; those that count least go where there are too many. */
export function withUse(uses: Habits['uses'], id: string, now: number): Habits['uses'] {
  const next = { ...uses, [id]: { score: scoreOf(uses[id], now) + 1, at: now } }
  const byScore = Object.entries(next).sort(([, one], [, other]) => scoreOf(other, now) - scoreOf(one, now))
  return Object.fromEntries(byScore.slice(0, USES))
}

/** The opened things with one in front, which is there once. */
export function withOpened(opened: Habits['opened'], thing: Opened): Habits['opened'] {
  return [thing, ...opened.filter(({ to }) => to !== thing.to)].slice(0, OPENED)
}

type Preferences = Pick<Platform, 'readPreference' | 'writePreference'>

/** The habits of this browser. */
export function readHabits(platform: Pick<Platform, 'readPreference'>): Habits {
  return parseStored(habits, platform.readPreference(PREFERENCE)) ?? { uses: {}, opened: [] }
}

/** Notes that an entry was chosen. */
export function noteUsed(platform: Preferences & Pick<Platform, 'now'>, id: string): void {
  const { uses, opened } = readHabits(platform)
  write(platform, { uses: withUse(uses, id, platform.now()), opened })
}

/** Notes that something was opened. */
export function noteOpened(platform: Preferences, thing: Opened): void {
  const { uses, opened } = readHabits(platform)
  write(platform, { uses, opened: withOpened(opened, thing) })
}

function write(platform: Preferences, next: Habits): void {
  platform.writePreference(PREFERENCE, JSON.stringify(next))
}
