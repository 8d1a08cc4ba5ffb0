import { join } from 'node:path'
import { _electron, type BrowserContextOptions, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { buildStale, PROGRAM, SHELL } from '../../src-main/cli/build.mjs'
import { until } from './served-service.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'out', 'shell', 'main.js')

/** Electron's program, where the variable DRYDOCK_ELECTRON names one: then the tests of the pages drive its window. */
export const electronProgram: string | undefined = process.env.DRYDOCK_ELECTRON || undefined

/**
 * Opens the desktop's own window on a data folder whose service runs, signed in by the desktop itself; it ends with the
 * test. It was not run where this was written, as there was no Electron.
 */
export async function openElectronWindow(program: string, data: string, look: BrowserContextOptions): Promise<Page> {
  const code = await buildStale([PROGRAM, SHELL], process.execPath)
  if (code !== 0) throw new Error('the build failed, see above')
  // As for Chromium: its sandbox needs rights that root in a container has not.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const app = await _electron.launch({ executablePath: program, args: [...sandbox, MAIN, '--data', data] })
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
