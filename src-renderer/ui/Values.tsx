import { type ReactNode, useEffect, useState } from 'react'
import { ago } from '../../src-main/lib/text.ts'
import { SECOND_MS } from '../../src-main/lib/units.ts'
import { useApp } from '../store/app-context.ts'
import { bytes, duration, exactTime, shortDuration } from './format.ts'
import { Tooltip } from './Tooltip.tsx'

/** How long ago something was; the exact time on hover. */
export function RelativeTime({ at }: { readonly at: number }) {
  const now = useNow()
  return (
    <Tooltip text={exactTime(at)}>
      <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap">
        {ago(at, now)}
      </time>
    </Tooltip>
  )
}

/** When something was, by the clock and as a span from now; the date on hover. */
export function ClockTime({ at }: { readonly at: number }) {
  return (
    <span className="flex items-baseline gap-2 whitespace-nowrap">
      <span title={exactTime(at)} className="tabular-nums">
        {exactTime(at).slice(11, 19)}
      </span>
      <span className="text-ink-2">
        <RelativeTime at={at} />
      </span>
    </span>
  )
}

export function Duration({ ms }: { readonly ms: number | undefined }) {
  return ms === undefined ? <Nothing /> : <span className="whitespace-nowrap">{duration(ms)}</span>
}

/** Width of a column of short durations, px: room for `9.9 min` in any font. */
export const SHORT_SPAN_PX = 76

export function ShortDuration({ ms }: { readonly ms: number | undefined }) {
  if (ms === undefined) return <Nothing />
  return (
    <span title={duration(ms)} className="whitespace-nowrap">
      {shortDuration(ms)}
    </span>
  )
}

export function Bytes({ size }: { readonly size: number | undefined }) {
  return size === undefined ? <Nothing /> : <span className="whitespace-nowrap">{bytes(size)}</span>
}

export function Nothing() {
  return (
    <span className="text-ink-2" role="img" aria-label="none">
      –
    </span>
  )
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

type ProgressBarProps = { readonly value: number; readonly max: number; readonly label: string }

export function ProgressBar({ label, ...part }: ProgressBarProps) {
  return (
    <progress
      {...part}
      aria-label={label}
      className="h-1.5 w-full overflow-hidden rounded-full bg-surface-2 [&::-webkit-progress-bar]:bg-surface-2 [&::-webkit-progress-value]:bg-accent"
    />
  )
}

// Characters kept at the end of a cut name: enough to tell `…-production` and `…-v2` apart.
const END = 12
const SHORT = 20

/** Truncates a name in its middle, since names of one app differ at their ends. */
export function CutName({ name, end = END }: { readonly name: string; readonly end?: number }) {
  if (name.length <= SHORT) return <span className="truncate">{name}</span>
  const at = Math.max(0, name.length - end)
  return (
    <span title={name} className="inline-flex min-w-0 max-w-full overflow-hidden align-bottom">
      <span className="min-w-[5ch] truncate whitespace-pre">{name.slice(0, at)}</span>
      <span className="shrink-0 whitespace-pre">{name.slice(at)}</span>
    </span>
  )
}

// ms; growing spans move smoothly enough to be read at this rate.
const TICK_MS = 100

// Longest uncut end of an address, like `/v2/my-endpoint`, in characters.
const LONGEST_ADDRESS_END = 24

export function CutAddress({ url }: { readonly url: string }) {
  const end = Math.min(LONGEST_ADDRESS_END, url.length - url.lastIndexOf('/', url.lastIndexOf('/') - 1))
  return (
    <code className="flex min-w-0 font-mono text-small">
      <CutName name={url} end={end} />
    </code>
  )
}

export function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(TICK_MS)
  return <>{duration(Math.max(0, now - since))}</>
}

export function useNow(everyMs = SECOND_MS): number {
  const { platform } = useApp()
  const [now, setNow] = useState(platform.now)
  useEffect(() => {
    let cancel = () => {}
    const tick = () => {
      setNow(platform.now())
      cancel = platform.after(everyMs, tick)
    }
    cancel = platform.after(everyMs, tick)
    return () => cancel()
  }, [platform, everyMs])
  return now
}

/** @param first returned until the value has stayed the same for `forMs` */
export function usePaused<Value>(value: Value, forMs: number, first = value): Value {
  const { platform } = useApp()
  const [paused, setPaused] = useState(first)
  useEffect(() => platform.after(forMs, () => setPaused(value)), [platform, value, forMs])
  return paused
}
