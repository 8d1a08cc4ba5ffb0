/**
 * How pages follow the service. Its events come in batches through the store, and in one place, here, it is said that
 * something may have been missed: the stream was opened anew, after it broke off or after nobody saw the page for a
 * while, or a number is left out in it. Whoever follows reads again then what it shows.
 */
import type { NumberedEvent } from '../api-client/event-stream.ts'
import type { Platform } from '../platform/platform.ts'
import type { AppStore } from '../store/app-store.ts'

/** What follows the service. */
export type EventFollower = {
  /** Each batch of events, as it came. */
  readonly onEvents: (events: readonly NumberedEvent[]) => void
  /** Events may have been missed: what is shown has to be read again. */
  readonly onMissed: () => void
}

/** Follows the service from now on. @returns ends it */
export function followEvents(store: Pick<AppStore, 'subscribe'>, { onEvents, onMissed }: EventFollower): () => void {
  return store.subscribe(({ feed }, { feed: before }) => {
    if (feed === before) return
    if (feed.missed !== before.missed) onMissed()
    if (feed.events.length > 0) onEvents(feed.events)
  })
}

/** Work that is put off a little, so that many events lead to it once. */
export type Planner = {
  /** Does the work after a while; nothing where work of this name is planned already. */
  readonly plan: (name: string, afterMs: number, work: () => void) => void
  /** Forgets all that is planned. */
  readonly clear: () => void
}

/** Makes a planner. */
export function createPlanner(platform: Pick<Platform, 'after'>): Planner {
  const planned = new Map<string, () => void>()
  return {
    plan(name, afterMs, work) {
      if (planned.has(name)) return
      const cancel = platform.after(afterMs, () => {
        planned.delete(name)
        work()
      })
      planned.set(name, cancel)
    },
    clear() {
      for (const cancel of planned.values()) cancel()
      planned.clear()
    },
  }
}
