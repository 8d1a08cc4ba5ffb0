import { useEffect, useState } from 'react'
import { useApp } from '../store/app-context.ts'

/** The time, ms since the epoch, told anew every `everyMs`. */
export function useNow(everyMs: number): number {
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
