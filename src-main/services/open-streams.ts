import { AsyncResource } from 'node:async_hooks'
import type { Clock } from './ports/system.ts'

// Streams must end within a second; source: ours.
const CHECK_INTERVAL_MS = 500

/** Responses that stay open. Each ends soon after its key or session has ended. */
export type OpenStreams = {
  /** @param isAllowed whether the caller may still read the stream; throwing counts as no @returns a function that stops the checks */
  readonly watch: (isAllowed: () => boolean, end: () => void) => () => void
}

/** Checks open streams periodically. No timer runs while none is open. */
export function createOpenStreams({ clock }: { readonly clock: Pick<Clock, 'after'> }): OpenStreams {
  const streams = new Set<{ readonly isAllowed: () => boolean; readonly end: () => void }>()
  let isPlanned = false

  function plan(): void {
    if (isPlanned || streams.size === 0) return
    isPlanned = true
    clock.after(CHECK_INTERVAL_MS, checkAll)
  }

  // Not in the context of the request that happened to plan it.
  const checkAll = AsyncResource.bind(() => {
    isPlanned = false
    for (const stream of [...streams]) {
      if (passes(stream.isAllowed)) continue
      streams.delete(stream)
      stream.end()
    }
    plan()
  })

  return {
    watch(isAllowed, end) {
      const stream = { isAllowed, end }
      streams.add(stream)
      plan()
      return () => void streams.delete(stream)
    },
  }
}

function passes(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
