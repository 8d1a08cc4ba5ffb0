import type { DesktopBridge, DesktopNotice } from '../../src-main/contract/bridge.ts'
import { BRIDGE } from '../../src-main/contract/bridge-channels.ts'

/** The desktop around a window; undefined in a browser. */
export function desktopOf(window: Window): DesktopBridge | undefined {
  return (window as { readonly [BRIDGE]?: DesktopBridge })[BRIDGE]
}

/** What a notice of the desktop says at the edge of the window. */
export type DesktopMessage = { readonly kind: 'done' | 'error'; readonly text: string }

/** The words of a notice. */
export function desktopMessage(notice: DesktopNotice): DesktopMessage {
  switch (notice.kind) {
    case 'service-ended':
      return { kind: 'error', text: endedText(notice) }
    case 'service-refused':
      return { kind: 'error', text: `The service does not start: ${sentence(notice.why)}` }
    case 'service-restarted':
      return { kind: 'done', text: 'The service is up again.' }
    case 'link-refused':
      return {
        kind: 'error',
        text: `${cut(notice.address)} was not opened: ${sentence(notice.why ?? 'only https links leave the window')}`,
      }
    case 'update-ready':
      return { kind: 'done', text: `Version ${notice.version} is here. It is installed when you quit Drydock.` }
  }
}

function endedText({ why, restartInMs, crashes, looping }: DesktopNotice & { kind: 'service-ended' }): string {
  const ended = `The service ended by itself: ${sentence(why)}`
  const again = `It is started again in ${restartInMs < 1000 ? 'a moment' : `${Math.round(restartInMs / 1000)} s`}.`
  return looping
    ? `${ended} That was the ${ordinal(crashes)} time within minutes; the log file says more (Help, Show the log file). ${again}`
    : `${ended} ${again}`
}

const cut = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
const sentence = (text: string) => `${text.replace(/[.\s]+$/, '')}.`

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending}`
}
