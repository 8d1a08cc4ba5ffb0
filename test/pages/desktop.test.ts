import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { DesktopNotice } from '../../src-main/contract/bridge.ts'
import { BRIDGE } from '../../src-main/contract/bridge-channels.ts'
import { inElectron, noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { setup } from './support.ts'

/** Puts a bridge on the page as the preload does; the calls are the test's, and so are the notices. */
async function giveBridge(page: Page, folder: string): Promise<{ tell: (notice: DesktopNotice) => Promise<void> }> {
  await page.addInitScript(
    ({ name, chosen }) => {
      const listeners = new Set<(notice: unknown) => void>()
      Object.assign(globalThis, {
        [name]: {
          facts: async () => ({ version: '1.0.0', platform: 'linux' }),
          pickFolder: async () => chosen,
          revealFile: async () => true,
          signIn: async () => false,
          onNotice(listener: (notice: unknown) => void) {
            listeners.add(listener)
            return () => void listeners.delete(listener)
          },
        },
        tellDesktop: (notice: unknown) => listeners.forEach((listener) => void listener(notice)),
      })
    },
    { name: BRIDGE, chosen: folder },
  )
  return {
    tell: (notice) =>
      page.evaluate((told) => {
        ;(globalThis as unknown as { tellDesktop: (notice: unknown) => void }).tellDesktop(told)
      }, notice),
  }
}

describe.each(['light', 'dark'] as const)('the pages within the desktop (%s)', (colorScheme) => {
  test('tell what the desktop tells, and choose folders by the dialog of the system', async ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    skip(inElectron, 'the bridge of the real window opens a real dialog')
    const { service, page, open, expectAccessible, shoot, faults } = await setup({ colorScheme })
    const { tell } = await giveBridge(page, service.folder)
    await open('/apps')
    await tell({ kind: 'service-ended', why: 'it was killed', restartInMs: 500, crashes: 1, looping: false })
    await page.getByText('The service ended unexpectedly: it was killed. It restarts in a moment.').waitFor()
    await shoot(`desktop-service-ended-${colorScheme}`)
    await tell({ kind: 'service-restarted' })
    await page.getByText('The service ended unexpectedly').waitFor({ state: 'detached' })
    await page.getByText('The service is running again.').waitFor()
    await tell({ kind: 'update-ready', version: '2.0.0' })
    await page.getByText('Version 2.0.0 is ready. It is installed when you quit Drydock.').waitFor()
    await expectAccessible()
    await shoot(`desktop-notices-${colorScheme}`)

    await page.getByRole('button', { name: 'Open a folder' }).first().click()
    await page.getByRole('button', { name: 'Choose…' }).click()
    const field = page.getByRole('combobox', { name: 'Folder' })
    await until(async () => expect(await field.inputValue()).toBe(service.folder))
    await expectAccessible()
    await shoot(`desktop-choose-folder-${colorScheme}`)
    expect(faults).toEqual([])

    await service.post('/api/account-key/rotate')
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByText('The service is not running').waitFor()
    await expectAccessible()
    await shoot(`desktop-signed-out-${colorScheme}`)
  })
})
