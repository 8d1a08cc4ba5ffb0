import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openDesktop, openScreen } from '../desktop/support.ts'
import { until } from './served-service.ts'

/**
 * Opens the desktop's own window on a data folder whose service runs, signed in by the desktop itself; it ends with the
 * test. The folder then belongs to the user of the window, which root, whose service it is, works with all the same.
 */
export async function openElectronWindow(data: string, look: BrowserContextOptions): Promise<Page> {
  const screen = await openScreen()
  execFileSync('chown', ['-R', `${screen.user}:${screen.user}`, data])
  chmodSync(dirname(data), 0o711)
  const { app } = await openDesktop(screen, { data })
  onTestFinished(() => app.close())
  const page = await app.firstWindow()
  const { viewport, colorScheme, reducedMotion } = look
  if (viewport) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: colorScheme ?? null, reducedMotion: reducedMotion ?? null })
  await until(() => {
    if (!page.url().startsWith('http://127.0.0.1:')) throw new Error(`the window is at ${page.url()}`)
  })
  return page
}
