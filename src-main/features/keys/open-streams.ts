import { AsyncResource } from 'node:async_hooks'
import type { Clock } from '../../lib/clock.ts'

// Streams must end within a second; source: ours.
const CHECK_INTERVAL_MS = 500

export function createOpenStreams({ clock }: { readonly clock: Pick<Clock, 'after'> }) {
  const streams = new Set<{ readonly isAllowed: () => boolean; readonly end: () => void }>()
  let isPlanned = false

  function plan(): void {
    if (isPlanned || streams.size === 0) return
    isPlanned = true
    clock.after(CHECK_INTERVAL_MS, checkAll)
  }

  // Detached from the context of the request that scheduled it.
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
    /**
     * @param isAllowed whether the caller may still read; throwing means no
     * @returns a function that stops checking
     */
    watch(isAllowed: () => boolean, end: () => void): () => void {
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
