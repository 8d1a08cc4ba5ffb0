import { ago, bytes, duration, exactTime } from './format.ts'
import { Tooltip } from './Tooltip.tsx'
import { useNow } from './use-now.ts'

const SECOND_MS = 1000

/** When something was, as a span from now; the exact time on hover. `at` in ms since the epoch. */
export function RelativeTime({ at }: { readonly at: number }) {
  const now = useNow(SECOND_MS)
  return (
    <Tooltip text={exactTime(at)}>
      <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap">
        {ago(at, now)}
      </time>
    </Tooltip>
  )
}

/** A span; a dash where there is none. */
export function Duration({ ms }: { readonly ms: number | undefined }) {
  return ms === undefined ? <Nothing /> : <span className="whitespace-nowrap">{duration(ms)}</span>
}

/** A size; a dash where there is none. */
export function Bytes({ size }: { readonly size: number | undefined }) {
  return size === undefined ? <Nothing /> : <span className="whitespace-nowrap">{bytes(size)}</span>
}

/** Stands where there is no value. */
export function Nothing() {
  return (
    <span className="text-ink-2" role="img" aria-label="none">
      –
    </span>
  )
}
