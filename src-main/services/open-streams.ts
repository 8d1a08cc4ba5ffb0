import type { Clock } from './ports/system.ts'

// A stream has to end within a second; source: ours.
const LOOK_EVERY_MS = 500

/** Responses that stay open. Each ends soon after its key or session has ended. */
export type OpenStreams = {
  /** @param isAllowed whether the caller may still read it @returns call when it has ended */
  readonly watch: (isAllowed: () => boolean, end: () => void) => () => void
}

/** Makes the watch; it costs nothing while no stream is open. */
export function createOpenStreams({ clock }: { readonly clock: Pick<Clock, 'after'> }): OpenStreams {
  const streams = new Set<{ readonly isAllowed: () => boolean; readonly end: () => void }>()
  let isPlanned = false

  function plan(): void {
    if (isPlanned || streams.size === 0) return
    isPlanned = true
    clock.after(LOOK_EVERY_MS, () => {
      isPlanned = false
      for (const stream of [...streams]) {
        if (stream.isAllowed()) continue
        streams.delete(stream)
        stream.end()
      }
      plan()
    })
  }

  return {
    watch(isAllowed, end) {
      const stream = { isAllowed, end }
      streams.add(stream)
      plan()
      return () => void streams.delete(stream)
    },
  }
}
