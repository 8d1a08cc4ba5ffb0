import { useSyncExternalStore } from 'react'
import { useApp, useAppState } from '../store/app-context.ts'

export type Tone = 'queued' | 'running' | 'completed' | 'failed' | 'timed-out' | 'cancelled' | 'retried'

/** Tone -> class of a surface. Written out, because the style sheet is built from names found in code. */
export const TONE_FILLS: Readonly<Record<Tone, string>> = {
  queued: 'bg-queued',
  running: 'bg-running',
  completed: 'bg-completed',
  failed: 'bg-failed',
  'timed-out': 'bg-timed-out',
  cancelled: 'bg-cancelled',
  retried: 'bg-retried',
}

export const TONE_LINES: Readonly<Record<Tone, string>> = {
  queued: 'border-queued',
  running: 'border-running',
  completed: 'border-completed',
  failed: 'border-failed',
  'timed-out': 'border-timed-out',
  cancelled: 'border-cancelled',
  retried: 'border-retried',
}

/** For elements that must be redrawn when the colour scheme changes, like a canvas. */
export function useColours(): 'light' | 'dark' {
  const { platform } = useApp()
  const theme = useAppState((state) => state.theme)
  const systemIsDark = useSyncExternalStore(platform.onPrefersDark, platform.prefersDark)
  return theme === 'system' ? (systemIsDark ? 'dark' : 'light') : theme
}

/** Resolves tokens to colours that a canvas accepts, which `light-dark()` is not. */
export function tokenColourReader(element: HTMLElement): (name: string) => string {
  const probe = element.ownerDocument.createElement('span')
  return (name) => {
    probe.style.color = `var(${name})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
