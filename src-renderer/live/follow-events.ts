/**
 * Delivers service events in batches and reports when some may be missed, after a reopened stream or a number gap.
 * Followers then re-read what they show.
 */
import type { NumberedEvent } from '../api-client/event-stream.ts'
import type { Platform } from '../browser/platform.ts'
import type { AppStore } from '../store/app-store.ts'

export type EventFollower = {
  readonly onEvents: (events: readonly NumberedEvent[]) => void
  readonly onMissed: () => void
}

export function followEvents(store: Pick<AppStore, 'subscribe'>, { onEvents, onMissed }: EventFollower): () => void {
  return store.subscribe(({ feed }, { feed: before }) => {
    if (feed === before) return
    if (feed.missed !== before.missed) onMissed()
    if (feed.events.length > 0) onEvents(feed.events)
  })
}

export function createPlanner(platform: Pick<Platform, 'after'>) {
  const planned = new Map<string, () => void>()
  return {
    plan(name: string, afterMs: number, work: () => void) {
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
