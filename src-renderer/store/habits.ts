/** Re-read for each change, as several windows write it; it never leaves the browser. */
import { z } from 'zod'
import { DAY_MS } from '../../src-main/lib/units.ts'
import { parseStored } from '../browser/local-texts.ts'
import type { Platform } from '../browser/platform.ts'

const habits = z.object({
  uses: z.record(z.string(), z.object({ score: z.number(), at: z.number() })),
  opened: z.array(z.object({ to: z.string(), name: z.string() })),
})

export type Habits = Readonly<z.infer<typeof habits>>

/** `score` is the count at time `at`, ms since the epoch. */
export type Use = Habits['uses'][string]

export type Opened = Habits['opened'][number]

const PREFERENCE = 'habits'
// A choice a week ago counts half as much as one now. Source: ours, so that last month's work loses weight.
const HALF_LIFE_MS = 7 * DAY_MS
// Source: ours. More are no habit, and all of them are written at each choice.
const USES = 200
const OPENED = 20

export function scoreOf(use: Use | undefined, now: number): number {
  // A clock that was set back does not increase the weight.
  return use === undefined ? 0 : use.score * 0.5 ** (Math.max(0, now - use.at) / HALF_LIFE_MS)
}

export function withUse(uses: Habits['uses'], id: string, now: number): Habits['uses'] {
  const next = { ...uses, [id]: { score: scoreOf(uses[id], now) + 1, at: now } }
  const byScore = Object.entries(next).sort(([, one], [, other]) => scoreOf(other, now) - scoreOf(one, now))
  return Object.fromEntries(byScore.slice(0, USES))
}

export function withOpened(opened: Habits['opened'], thing: Opened): Habits['opened'] {
  return [thing, ...opened.filter(({ to }) => to !== thing.to)].slice(0, OPENED)
}

type Preferences = Pick<Platform, 'readPreference' | 'writePreference'>

export function readHabits(platform: Pick<Platform, 'readPreference'>): Habits {
  return parseStored(habits, platform.readPreference(PREFERENCE)) ?? { uses: {}, opened: [] }
}

export function noteUsed(platform: Preferences & Pick<Platform, 'now'>, id: string): void {
  const { uses, opened } = readHabits(platform)
  write(platform, { uses: withUse(uses, id, platform.now()), opened })
}

export function noteOpened(platform: Preferences, thing: Opened): void {
  const { uses, opened } = readHabits(platform)
  write(platform, { uses, opened: withOpened(opened, thing) })
}

function write(platform: Preferences, next: Habits): void {
  platform.writePreference(PREFERENCE, JSON.stringify(next))
}
