import type { DesktopBridge } from '../../src-main/contract/bridge.ts'
import { desktopOf } from './desktop.ts'

/** What the pages need of the browser or the desktop around them, as a value, so that tests can give their own. */
export type Platform = {
  /** ms since the epoch. */
  readonly now: () => number
  /** Calls `run` once after `ms`; returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
  /** Puts a text on the clipboard. Rejects where the browser does not allow it. */
  readonly copy: (text: string) => Promise<void>
  /** Opens an address in a window of its own, which knows nothing of this one. */
  readonly openWindow: (address: string) => void
  /** What the user chose on this machine; undefined: nothing yet. */
  readonly readPreference: (name: string) => string | undefined
  readonly writePreference: (name: string, value: string) => void
  /** Whether somebody can see the page. */
  readonly isVisible: () => boolean
  /** Calls the listener when that changes; returns a function that ends it. */
  readonly onVisibility: (listener: () => void) => () => void
  /** Whether the system asks for dark colours. */
  readonly prefersDark: () => boolean
  readonly onPrefersDark: (listener: () => void) => () => void
  /** Whether the window has room for names in the sidebar beside a page. */
  readonly isWide: () => boolean
  readonly onWide: (listener: () => void) => () => void
  /** The desktop around the window; undefined in a browser. */
  readonly desktop?: DesktopBridge | undefined
}

/**
 * For how long a page that nobody sees keeps its streams, ms: a browser has few connections to one service for all its
 * tabs, and who comes back at once finds all as it was.
 */
export const UNSEEN_MS = 10_000

const PREFIX = 'drydock.'

// From here a table of jobs shows all its columns beside an open sidebar. Source: ours.
const WIDE = '(min-width: 1280px)'

/** The platform of a browser window. */
export function browserPlatform(window: Window): Platform {
  const { document, localStorage, navigator } = window
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const wide = window.matchMedia(WIDE)
  return {
    desktop: desktopOf(window),
    now: () => Date.now(),
    after(ms, run) {
      const timer = window.setTimeout(run, ms)
      return () => window.clearTimeout(timer)
    },
    copy: (text) => navigator.clipboard.writeText(text),
    openWindow: (address) => void window.open(address, '_blank', 'noopener'),
    readPreference: (name) => localStorage.getItem(PREFIX + name) ?? undefined,
    writePreference: (name, value) => localStorage.setItem(PREFIX + name, value),
    isVisible: () => document.visibilityState === 'visible',
    onVisibility(listener) {
      document.addEventListener('visibilitychange', listener)
      return () => document.removeEventListener('visibilitychange', listener)
    },
    prefersDark: () => dark.matches,
    onPrefersDark(listener) {
      dark.addEventListener('change', listener)
      return () => dark.removeEventListener('change', listener)
    },
    isWide: () => wide.matches,
    onWide(listener) {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
  }
}
