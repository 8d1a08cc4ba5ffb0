import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import {
  closeWindow,
  noElectron,
  noPanel,
  openDesktop,
  openPanel,
  openScreen,
  runGatedJob,
  waitForNoProcesses,
  waitForVisible,
} from './support.ts'

const NOTIFY = 'Notify when jobs and deploys finish'
const KEEP = 'Keep running when the window is closed'
const QUIT = 'Quit and stop the service'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))
beforeEach(({ skip }) => skip(noPanel !== undefined, noPanel))

async function setup() {
  const screen = await openScreen()
  const panel = await openPanel(screen)
  const desktop = await openDesktop(screen)
  await desktop.window()
  await until(() => panel.read())
  const settings = () => JSON.parse(readFileSync(join(desktop.data, 'desktop', 'settings.json'), 'utf8'))
  return { screen, panel, desktop, settings }
}

describe('the tray', () => {
  test('counts and opens jobs, shows the window again, and quits', async () => {
    const { screen, panel, desktop } = await setup()
    await until(async () =>
      expect(await panel.read()).toEqual({
        tooltip: 'Drydock: no jobs running',
        menu: [
          ...['Open Drydock', 'No jobs running', { label: NOTIFY, isOn: true }, { label: KEEP, isOn: true }],
          ...['Show log', QUIT],
        ],
      }),
    )
    const gate = join(screen.home, 'gate')
    const jobId = await runGatedJob(desktop, gate)
    await until(async () => expect((await panel.read()).menu).toContain('1 job running'))
    await closeWindow(desktop)
    await waitForVisible(desktop, false)
    // The notification that Drydock keeps running.
    await until(() => expect(screen.dunstctl('count', 'displayed')).toBe('1'))
    screen.dunstctl('close-all')
    await panel.click('1 job running')
    await waitForVisible(desktop, true)
    const page = await desktop.app.firstWindow()
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    await closeWindow(desktop)
    await waitForVisible(desktop, false)
    await panel.activate()
    await waitForVisible(desktop, true)
    await closeWindow(desktop)
    await waitForVisible(desktop, false)
    screen.mkdir(gate)
    await until(async () => expect((await panel.read()).tooltip).toBe('Drydock: no jobs running'))
    await until(() => expect(screen.dunstctl('count', 'displayed')).toBe('1'))
    screen.takeScreenshot('job-completed')
    screen.dunstctl('action', '0')
    await waitForVisible(desktop, true)
    await page.getByRole('heading', { level: 1, name: jobId }).waitFor()
    await panel.click(QUIT)
    expect(await desktop.ended).toBe(0)
    await waitForNoProcesses(screen)
  })

  test('saves its check boxes: no notifications, and quitting when the window closes', async () => {
    const { panel, desktop, settings } = await setup()
    for (const label of [NOTIFY, KEEP]) {
      await panel.click(label)
      await until(async () => expect((await panel.read()).menu).toContainEqual({ label, isOn: false }))
    }
    expect(settings()).toMatchObject({ notifications: false, keepInTray: false })
    await closeWindow(desktop)
    expect(await desktop.ended).toBe(0)
  })
})
