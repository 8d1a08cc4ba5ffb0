import { useSyncExternalStore } from 'react'
import { useApp, useAppState } from '../store/app-context.ts'

/** The colours that are shown now: for what must be drawn anew when they change, like a canvas. */
export function useColours(): 'light' | 'dark' {
  const { platform } = useApp()
  const theme = useAppState((state) => state.theme)
  const systemIsDark = useSyncExternalStore(platform.onPrefersDark, platform.prefersDark)
  return theme === 'system' ? (systemIsDark ? 'dark' : 'light') : theme
}
