import { useQuery } from '@tanstack/react-query'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LocalMachineView } from '../../src-main/contract/system.ts'
import { counted } from '../../src-main/lib/text.ts'
import { ADDRESS } from '../addresses.ts'
import { machineQuery } from '../api-client/system-queries.ts'
import { endpointStateDot, stateNow } from '../features/endpoints/endpoint-state.ts'
import { useApp, useAppState } from '../store/app-context.ts'
import { type Connection, THEMES, type Theme } from '../store/app-slices.ts'
import type { LiveEntities } from '../store/apply-event.ts'
import { IconButton } from '../ui/Button.tsx'
import { asSentence } from '../ui/format.ts'
import { StateDot, type StateDotProps } from '../ui/StateDot.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'

const CONNECTIONS: Readonly<Record<Exclude<Connection, 'signed-out'>, StateDotProps>> = {
  connecting: { tone: 'queued', text: 'connecting', pulses: true },
  live: { tone: 'completed', text: 'service' },
  lost: { tone: 'failed', text: 'no answer' },
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const

export function StatusBar() {
  const connection = useAppState((state) => state.connection)
  const workers = useAppState((state) => Object.keys(state.live.workers).length)
  const inQueue = useAppState(({ live }) => Object.values(live.endpoints).reduce((sum, one) => sum + one.inQueue, 0))
  const inProgress = useAppState(({ live }) =>
    Object.values(live.endpoints).reduce((sum, one) => sum + one.inProgress, 0),
  )
  const crashing = useAppState(({ live }) => crashingEndpoints(live))
  const { client } = useApp()
  const { data: machine } = useQuery({ ...machineQuery(client, workers), enabled: connection === 'live' })
  const cards = cardsPiece(machine)
  const state = connection === 'signed-out' ? CONNECTIONS.connecting : CONNECTIONS[connection]
  return (
    <footer className="flex h-7 shrink-0 items-center gap-1 overflow-hidden border-t border-line bg-surface-1 px-2 text-small whitespace-nowrap text-ink-2">
      <Piece to={ADDRESS.system()}>
        <StateDot {...state} detail={location.host} />
      </Piece>
      <ReportedPiece text={enginePiece(machine)} />
      <Piece to={ADDRESS.workers}>
        workers {workers.toLocaleString('en')}
        {machine !== undefined && ` of ${machine.workers.limit.toLocaleString('en')}`}
      </Piece>
      <Piece to={ADDRESS.jobs}>
        jobs: {inProgress.toLocaleString('en')} running, {inQueue.toLocaleString('en')} queued
      </Piece>
      {crashing > 0 && (
        <Piece to={ADDRESS.endpoints}>
          <StateDot {...endpointStateDot('crashing')} detail={counted(crashing, 'endpoint')} />
        </Piece>
      )}
      {cards !== undefined && <ReportedPiece text={cards} />}
      <span className="ml-auto hidden px-2 lg:inline">
        <kbd className="font-sans">Ctrl K</kbd> for everything, <kbd className="font-sans">?</kbd> for keys
      </span>
      <span className="ml-auto lg:ml-0">
        <ThemeButton />
      </span>
    </footer>
  )
}

function crashingEndpoints({ endpoints, workers }: LiveEntities): number {
  const crashed = Object.values(endpoints).filter(({ crash }) => crash !== undefined)
  const ofEndpoint = (id: string) => Object.values(workers).filter(({ endpointId }) => endpointId === id)
  return crashed.filter((endpoint) => stateNow(endpoint, ofEndpoint(endpoint.id)) === 'crashing').length
}

function ReportedPiece({ text }: { readonly text: PieceText }) {
  return (
    <Tooltip text={text.detail}>
      <Link
        to={ADDRESS.system('machine')}
        aria-label={`${text.text}. ${text.detail}`}
        className="flex h-6 min-w-20 items-center rounded-control px-2 -outline-offset-2 hover:bg-surface-2 hover:text-ink"
      >
        {text.warns && <span aria-hidden className="mr-1.5 size-2 shrink-0 rounded-full bg-timed-out" />}
        {text.text}
      </Link>
    </Tooltip>
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
      label={`Theme: ${theme}. Change to ${next}`}
      className="size-6"
      onClick={() => store.getState().setTheme(next)}
    >
      <Icon />
    </IconButton>
  )
}

type PieceText = {
  readonly text: string
  readonly detail: string
  readonly warns: boolean
}

/** A missing engine is no fault: workers run as processes. */
export function enginePiece(machine: LocalMachineView | undefined): PieceText {
  if (machine === undefined) return { text: 'docker …', detail: 'Looking for it.', warns: false }
  const noCards = machine.gpus.length === 0 ? ` ${asSentence(machine.gpuFault ?? 'this machine has no GPU')}` : ''
  const { state, version, source, reason } = machine.engine
  if (state === 'connected')
    return { text: 'docker ok', detail: `Engine ${version}, named by ${source}.${noCards}`, warns: false }
  if (state === 'reconnecting')
    return { text: 'docker lost', detail: asSentence(reason ?? 'the connection to the engine was lost'), warns: true }
  const why = asSentence(reason ?? 'no engine answers')
  return { text: 'no docker', detail: `Workers run as processes. ${why}${noCards}`, warns: false }
}

export function cardsPiece(machine: LocalMachineView | undefined): PieceText | undefined {
  const { gpus = [], gpuFault } = machine ?? {}
  if (gpus.length === 0) return undefined
  const held = gpus.filter(({ heldBy }) => heldBy.length > 0)
  const names = [...new Set(gpus.map(({ name }) => name))].join(', ')
  return {
    text: `GPU ${held.length} of ${gpus.length} used`,
    detail: gpuFault === undefined ? `${names}.` : `${names}. ${asSentence(gpuFault)}`,
    warns: gpuFault !== undefined,
  }
}
