import { useEffect } from 'react'
import { useAppState } from '../../store/app-context.ts'

/** Reads a list again when runs have come or ended. @param read the same function as long as the list is the same */
export function useOnRuns(read: () => Promise<unknown>): void {
  const events = useAppState(({ heard }) => heard.events)
  useEffect(() => {
    if (events.some(({ event }) => event.type === 'run')) void read()
  }, [events, read])
}
