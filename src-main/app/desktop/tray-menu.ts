import { capitalized, counted } from '../../lib/text.ts'
import type { DesktopSettings } from './desktop-settings.ts'
import type { JobCounts } from './follow-service.ts'
import type { ServiceState } from './supervise-service.ts'

export type TrayAction = 'open' | 'jobs' | 'restart' | 'log' | 'notifications' | 'keepInTray' | 'quit'

export type TrayItem =
  | { readonly kind: 'line' }
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction }
  | { readonly kind: 'check'; readonly label: string; readonly action: TrayAction; readonly on: boolean }

export type TrayView = { readonly tooltip: string; readonly items: readonly TrayItem[] }

export function trayView(
  service: ServiceState,
  { running, waiting }: JobCounts,
  { notifications, keepInTray }: Pick<DesktopSettings, 'notifications' | 'keepInTray'>,
): TrayView {
  const state = service.kind === 'up' ? jobsText(running, waiting) : SERVICE_TEXT[service.kind]
  const isDown = service.kind === 'down' || service.kind === 'refused'
  return {
    tooltip: `Drydock: ${state}`,
    items: [
      { kind: 'action', label: 'Open Drydock', action: 'open' },
      service.kind === 'up'
        ? { kind: 'action', label: capitalized(state), action: 'jobs' }
        : { kind: 'text', label: capitalized(state) },
      ...(isDown ? ([{ kind: 'action', label: 'Start the service now', action: 'restart' }] as const) : []),
      { kind: 'line' },
      { kind: 'check', label: 'Notify when jobs and deploys finish', action: 'notifications', on: notifications },
      { kind: 'check', label: 'Keep running when the window is closed', action: 'keepInTray', on: keepInTray },
      { kind: 'action', label: 'Show log', action: 'log' },
      { kind: 'line' },
      {
        kind: 'action',
        label: service.kind === 'up' && !service.own ? 'Quit (the service keeps running)' : 'Quit and stop the service',
        action: 'quit',
      },
    ],
  }
}

const SERVICE_TEXT = {
  starting: 'the service is starting',
  down: 'the service stopped and is restarting',
  refused: 'the service could not start',
  stopped: 'the service has stopped',
} as const satisfies Record<Exclude<ServiceState['kind'], 'up'>, string>

function jobsText(running: number, waiting: number): string {
  const jobs = running === 0 ? 'no jobs running' : counted(running, 'job running', 'jobs running')
  return waiting === 0 ? jobs : `${jobs}, ${waiting} queued`
}
