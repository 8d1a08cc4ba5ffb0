import type { ITheme } from '@xterm/xterm'

// The sixteen colours of terminals in those of the tokens, each with the strong one beside it.
const COLOURS = {
  background: '--surface-1',
  foreground: '--ink',
  cursor: '--accent',
  cursorAccent: '--surface-1',
  selectionBackground: '--accent-soft',
  selectionForeground: '--ink',
  black: '--line-strong',
  red: '--failed',
  green: '--completed',
  yellow: '--timed-out',
  blue: '--running',
  magenta: '--retried',
  cyan: '--accent',
  white: '--ink-2',
  brightBlack: '--ink-2',
  brightRed: '--failed-ink',
  brightGreen: '--completed',
  brightYellow: '--warn-ink',
  brightBlue: '--running',
  brightMagenta: '--retried',
  brightCyan: '--accent-strong',
  brightWhite: '--ink',
} as const satisfies Partial<Record<keyof ITheme, string>>

/** The colours of the tokens as they are now. @param element a part of the page */
export function themeOf(element: HTMLElement): ITheme {
  const probe = element.ownerDocument.createElement('span')
  element.append(probe)
  const theme = Object.fromEntries(
    Object.entries(COLOURS).map(([name, token]) => {
      probe.style.color = `var(${token})`
      return [name, getComputedStyle(probe).color]
    }),
  )
  probe.remove()
  return theme
}
