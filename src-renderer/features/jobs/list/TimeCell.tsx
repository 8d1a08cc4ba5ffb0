import { createContext, type ReactNode, use } from 'react'
import { ago, exactTime } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'

const SECOND_MS = 1000
const Now = createContext(0)

/** Tells the time to all cells below: one timer, and not one for each row. */
export function NowForCells({ children }: { readonly children: ReactNode }) {
  return <Now value={useNow(SECOND_MS)}>{children}</Now>
}

/** The time that the cells below show, ms since the epoch. */
export const useCellNow = () => use(Now)

/** How long ago something was; the exact time on hover. @param at ms since the epoch */
export function TimeCell({ at }: { readonly at: number }) {
  const now = useCellNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="text-ink-2">
      {ago(at, now)}
    </time>
  )
}
