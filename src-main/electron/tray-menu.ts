/** What the tray says and offers, as plain data: the shell makes a menu of it. */
import type { DesktopSettings } from './desktop-settings.ts'
import type { JobCounts } from './follow-service.ts'
import type { ServiceState } from './supervise-service.ts'

/** What can be done from the tray. */
export type TrayAction = 'open' | 'jobs' | 'restart' | 'log' | 'notifications' | 'keepInTray' | 'quit'

/** A line of the menu; one without an action is only read. */
export type TrayItem =
  | { readonly kind: 'line' }
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction }
  | { readonly kind: 'check'; readonly label: string; readonly action: TrayAction; readonly on: boolean }

/** What the tray shows. */
export type TrayView = { readonly tooltip: string; readonly items: readonly TrayItem[] }

/** The tray for a state of things. */
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
        ? { kind: 'action', label: capital(state), action: 'jobs' }
        : { kind: 'text', label: capital(state) },
      ...(isDown ? ([{ kind: 'action', label: 'Start the service now', action: 'restart' }] as const) : []),
      { kind: 'line' },
      { kind: 'check', label: 'Notify when jobs and deploys end', action: 'notifications', on: notifications },
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
  down: 'the service ended and is restarting',
  refused: 'the service could not start',
  stopped: 'the service has stopped',
} as const satisfies Record<Exclude<ServiceState['kind'], 'up'>, string>

function jobsText(running: number, waiting: number): string {
  const jobs = running === 0 ? 'no job is running' : running === 1 ? '1 job is running' : `${running} jobs are running`
  return waiting === 0 ? jobs : `${jobs}, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
