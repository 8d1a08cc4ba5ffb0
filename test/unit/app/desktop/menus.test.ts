import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, test } from 'vitest'
import { appMenu } from '../../../../src-main/app/desktop/app-menu.ts'
import type { ServiceState } from '../../../../src-main/app/desktop/supervise-service.ts'
import { trayView } from '../../../../src-main/app/desktop/tray-menu.ts'

const UP: ServiceState = { kind: 'up', url: 'http://127.0.0.1:8790', own: true, restarted: false }
const SETTINGS = { notifications: true, keepInTray: false }
const NONE = { running: 0, waiting: 0 }

describe('the tray', () => {
  test.each([
    [NONE, 'Drydock: no jobs running'],
    [{ running: 1, waiting: 0 }, 'Drydock: 1 job running'],
    [{ running: 3, waiting: 1 }, 'Drydock: 3 jobs running, 1 queued'],
    [{ running: 0, waiting: 12 }, 'Drydock: no jobs running, 12 queued'],
  ])('with %j shows the tooltip "%s"', (counts, tooltip) => {
    expect(trayView(UP, counts, SETTINGS).tooltip).toBe(tooltip)
  })

  test('lists its actions while the service is up', () => {
    const { items } = trayView(UP, { running: 2, waiting: 0 }, SETTINGS)
    expect(items.flatMap((item) => ('label' in item ? item.label : '-'))).toEqual([
      'Open Drydock',
      '2 jobs running',
      '-',
      'Notify when jobs and deploys finish',
      'Keep running when the window is closed',
      'Show log',
      '-',
      'Quit and stop the service',
    ])
    expect(items).toContainEqual({
      kind: 'check',
      label: 'Keep running when the window is closed',
      action: 'keepInTray',
      on: false,
    })
  })

  test('says that quitting does not stop a service that the desktop did not start', () => {
    expect(trayView({ ...UP, own: false }, NONE, SETTINGS).items.at(-1)).toMatchObject({
      label: 'Quit (the service keeps running)',
    })
  })

  test('shows the state of a service that is down, and offers to start it', () => {
    const down: ServiceState = { kind: 'down', why: 'x', restartInMs: 500, crashes: 1, looping: false }
    const { tooltip, items } = trayView(down, NONE, SETTINGS)
    expect(tooltip).toBe('Drydock: the service stopped and is restarting')
    expect(items).toContainEqual({ kind: 'action', label: 'Start the service now', action: 'restart' })
    expect(trayView({ kind: 'starting' }, NONE, SETTINGS).items).not.toContainEqual(
      expect.objectContaining({ action: 'restart' }),
    )
  })
})

describe('the application menu', () => {
  const actions = { open: () => undefined, signInAgain: () => undefined, showLog: () => undefined }
  const all = (items: readonly MenuItemConstructorOptions[]): readonly MenuItemConstructorOptions[] =>
    items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? all(item.submenu) : [])])

  test.each([true, false])('has the standard roles and one Quit item (macOS: %s)', (isMac) => {
    const items = all(appMenu(isMac, actions))
    const roles = items.flatMap(({ role }) => role ?? [])
    expect(roles.filter((role) => role === 'quit')).toHaveLength(1)
    expect(roles).toEqual(expect.arrayContaining(['editMenu', 'windowMenu', 'reload', 'zoomIn', 'togglefullscreen']))
    expect(roles.includes('appMenu')).toBe(isMac)
    expect(items.filter(({ accelerator }) => accelerator === 'CommandOrControl+,')).toHaveLength(1)
  })
})
