import type { DesktopBridge, DesktopNotice } from '../../src-main/contract/bridge.ts'
import { BRIDGE } from '../../src-main/contract/bridge-channels.ts'
import { keepStart, withFullStop } from '../../src-main/lib/text.ts'

/** Everything the pages need from the browser or desktop, as a value that tests can replace. */
export type Platform = {
  readonly now: () => number
  readonly after: (ms: number, run: () => void) => () => void
  readonly copy: (text: string) => Promise<void>
  /** Opens an address in a new window that has no access to this one. */
  readonly openWindow: (address: string) => void
  readonly readPreference: (name: string) => string | undefined
  readonly writePreference: (name: string, value: string) => void
  readonly isVisible: () => boolean
  readonly onVisibility: (listener: () => void) => () => void
  readonly prefersDark: () => boolean
  readonly onPrefersDark: (listener: () => void) => () => void
  /** Whether the window is wide enough for names in the sidebar. */
  readonly isWide: () => boolean
  readonly onWide: (listener: () => void) => () => void
  readonly desktop?: DesktopBridge | undefined
}

/** How long a hidden page keeps its streams, ms, so that a quick return finds everything unchanged. */
export const UNSEEN_MS = 10_000

const PREFIX = 'drydock.'

// From this width a table of jobs shows all its columns next to an open sidebar. Source: ours.
const WIDE = '(min-width: 1280px)'

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
    onVisibility: listenTo(document, 'visibilitychange'),
    prefersDark: () => dark.matches,
    onPrefersDark: listenTo(dark, 'change'),
    isWide: () => wide.matches,
    onWide: listenTo(wide, 'change'),
  }
}

const listenTo = (target: EventTarget, type: string) => (listener: () => void) => {
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

export function desktopOf(window: Window): DesktopBridge | undefined {
  return (window as { readonly [BRIDGE]?: DesktopBridge })[BRIDGE]
}

export function desktopMessage(notice: DesktopNotice): { readonly kind: 'done' | 'error'; readonly text: string } {
  switch (notice.kind) {
    case 'service-ended':
      return { kind: 'error', text: endedText(notice) }
    case 'service-refused':
      return { kind: 'error', text: `The service could not start: ${withFullStop(notice.why)}` }
    case 'service-restarted':
      return { kind: 'done', text: 'The service is running again.' }
    case 'link-refused':
      return {
        kind: 'error',
        text: `${cut(notice.address)} was not opened: ${withFullStop(notice.why ?? 'only https links leave the window')}`,
      }
    case 'update-ready':
      return { kind: 'done', text: `Version ${notice.version} is ready. It is installed when you quit Drydock.` }
  }
}

function endedText({ why, restartInMs, crashes, looping }: DesktopNotice & { kind: 'service-ended' }): string {
  const ended = `The service ended unexpectedly: ${withFullStop(why)}`
  const again = `It restarts in ${restartInMs < 1000 ? 'a moment' : `${Math.round(restartInMs / 1000)} s`}.`
  return looping
    ? `${ended} That was the ${ordinal(crashes)} time within minutes; see the log file for details (Help, Show log). ${again}`
    : `${ended} ${again}`
}

const cut = (text: string) => keepStart(text, 80)

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending}`
}
