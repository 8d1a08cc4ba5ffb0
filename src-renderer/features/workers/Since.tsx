import { duration, exactTime } from '../../ui/format.ts'
import { useNow } from '../../ui/use-now.ts'

const SECOND_MS = 1000

/** How long something has been up. @param at ms since the epoch */
export function Since({ at }: { readonly at: number }) {
  const now = useNow(SECOND_MS)
  // Whole seconds: tenths would only flicker.
  const ms = Math.max(0, Math.floor((now - at) / SECOND_MS) * SECOND_MS)
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {ms === 0 ? 'just started' : `up ${duration(ms).replace(/\.0 s$/, ' s')}`}
    </time>
  )
}
