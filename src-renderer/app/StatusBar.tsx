import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { useApp, useAppState } from '../store/app-context.ts'
import type { Connection } from '../store/connection-slice.ts'
import { THEMES, type Theme } from '../store/layout-slice.ts'
import { counted } from '../ui/format.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { StateDot, type StateDotProps } from '../ui/StateDot.tsx'

const CONNECTIONS: Readonly<Record<Exclude<Connection, 'signed-out'>, StateDotProps>> = {
  connecting: { tone: 'queued', word: 'connecting', pulses: true },
  live: { tone: 'completed', word: 'service' },
  lost: { tone: 'failed', word: 'no answer' },
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const

/** The bar at the lower edge: how the service does. Each piece leads to its page. */
export function StatusBar() {
  const connection = useAppState((state) => state.connection)
  const endpoints = useAppState((state) => Object.keys(state.live.endpoints).length)
  const workers = useAppState((state) => Object.keys(state.live.workers).length)
  const inQueue = useAppState(({ live }) => Object.values(live.endpoints).reduce((sum, one) => sum + one.inQueue, 0))
  const inProgress = useAppState(({ live }) =>
    Object.values(live.endpoints).reduce((sum, one) => sum + one.inProgress, 0),
  )
  const state = connection === 'signed-out' ? CONNECTIONS.connecting : CONNECTIONS[connection]
  return (
    <footer className="flex h-7 shrink-0 items-center gap-1 overflow-hidden border-t border-line bg-surface-1 px-2 text-small whitespace-nowrap text-ink-2">
      <Piece to={ADDRESS.system}>
        <StateDot {...state} detail={location.host} />
      </Piece>
      <Piece to={ADDRESS.endpoints}>{counted(endpoints, 'endpoint')}</Piece>
      <Piece to={ADDRESS.workers}>{counted(workers, 'worker')}</Piece>
      <Piece to={ADDRESS.jobs}>
        {inProgress.toLocaleString('en')} running, {inQueue.toLocaleString('en')} queued
      </Piece>
      <span className="ml-auto hidden px-2 md:inline">
        <kbd className="font-sans">Ctrl K</kbd> for everything, <kbd className="font-sans">?</kbd> for keys
      </span>
      <ThemeButton />
    </footer>
  )
}

function Piece({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="flex h-6 items-center rounded-control px-2 -outline-offset-2 hover:bg-surface-2 hover:text-ink"
    >
      {children}
    </Link>
  )
}

function ThemeButton() {
  const { store } = useApp()
  const theme = useAppState((state) => state.theme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
  const Icon = THEME_ICONS[theme]
  return (
    <IconButton
      label={`Colours: ${theme}. Change to ${next}`}
      className="size-6"
      onClick={() => store.getState().setTheme(next)}
    >
      <Icon />
    </IconButton>
  )
}
