import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal as Xterm } from '@xterm/xterm'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useApp } from '../store/app-context.ts'
import { tokenColourReader, useColours } from './colours.ts'

const FONT_PX = 12
const MAX_LINES = 5000
const TEXT_CONTRAST = 4.5

/** The terminal takes all keys while focused, except Shift+Escape, which leaves it. */
export function XtermView({ label, connect }: TerminalProps) {
  const { platform } = useApp()
  const container = useRef<HTMLDivElement>(null)
  const terminal = useRef<Xterm>(null)
  const colours = useColours()

  // biome-ignore lint/correctness/useExhaustiveDependencies: a terminal lives as long as its place; colours go in below
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const xterm = new Xterm({
      fontFamily: "'JetBrains Mono Variable', monospace",
      fontSize: FONT_PX,
      scrollback: MAX_LINES,
      screenReaderMode: true,
      minimumContrastRatio: TEXT_CONTRAST,
      theme: themeOf(element),
    })
    const fit = new FitAddon()
    xterm.loadAddon(fit)
    xterm.open(element)
    xterm.textarea?.setAttribute('aria-label', label)
    fit.fit()
    terminal.current = xterm
    const { close, onInput, onSize } = connect({
      size: () => ({ columns: xterm.cols, rows: xterm.rows }),
      write: (bytes) => xterm.write(bytes),
      focus: () => xterm.focus(),
    })
    xterm.onData(onInput)
    xterm.onResize(({ cols, rows }) => onSize({ columns: cols, rows }))
    xterm.attachCustomKeyEventHandler((event) => {
      if (event.type !== 'keydown') return true
      if (event.key === 'Escape' && event.shiftKey) {
        xterm.blur()
        leave(element)
        return false
      }
      if (!isCopy(event, xterm.hasSelection())) return true
      event.preventDefault()
      void platform.copy(xterm.getSelection()).then(() => xterm.clearSelection())
      return false
    })
    const resize = new ResizeObserver(() => fit.fit())
    resize.observe(element)
    xterm.focus()
    return () => {
      resize.disconnect()
      close()
      xterm.dispose()
      terminal.current = null
    }
  }, [connect])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens have other values in other colours
  useEffect(() => {
    if (terminal.current !== null && container.current !== null)
      terminal.current.options.theme = themeOf(container.current)
  }, [colours])

  return (
    <div
      ref={container}
      data-takes-escape
      onKeyDown={keepControlKeys}
      className="min-h-0 flex-1 overflow-hidden"
      role="application"
      aria-label={label}
    />
  )
}

// Ctrl+C with a selection copies, as does Ctrl+Shift+C; without one it interrupts the program.
function isCopy(event: globalThis.KeyboardEvent, hasSelection: boolean): boolean {
  return hasSelection && event.ctrlKey && !event.altKey && event.key.toLowerCase() === 'c'
}

// Shells use Ctrl+K and others; page shortcuts need Cmd there, or Shift+Escape first.
function keepControlKeys(event: KeyboardEvent): void {
  if (event.ctrlKey) event.stopPropagation()
}

function leave(element: HTMLElement): void {
  const panel = element.closest<HTMLElement>('[role="dialog"]')
  const next = panel?.querySelector<HTMLElement>('[aria-current]') ?? panel
  next?.focus()
}

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

function themeOf(element: HTMLElement): ITheme {
  const colour = tokenColourReader(element)
  return Object.fromEntries(Object.entries(COLOURS).map(([name, token]) => [name, colour(token)]))
}

export type ScreenSize = { readonly columns: number; readonly rows: number }

export type Screen = {
  readonly size: () => ScreenSize
  readonly write: (bytes: Uint8Array) => void
  readonly focus: () => void
}

export type ScreenEvents = {
  readonly onInput: (text: string) => void
  readonly onSize: (size: ScreenSize) => void
}

/** `connect` is called once the screen exists; the handlers it returns receive screen events until unmount. */
export type TerminalProps = {
  readonly label: string
  readonly connect: (screen: Screen) => ScreenEvents & { readonly close: () => void }
}
