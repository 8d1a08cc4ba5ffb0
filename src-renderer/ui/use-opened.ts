import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { thingOf } from '../addresses.ts'
import { useApp } from '../store/app-context.ts'
import { noteOpened } from '../store/habits.ts'

/** Notes the thing that is shown as opened lately. @param name undefined or empty: not known yet */
export function useOpened(name: string | undefined): void {
  const { platform } = useApp()
  const [path] = useLocation()
  const to = thingOf(path)?.to
  useEffect(() => {
    if (to !== undefined && name !== undefined && name !== '') noteOpened(platform, { to, name })
  }, [platform, to, name])
}
