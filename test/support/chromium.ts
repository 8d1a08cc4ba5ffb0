import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const CHROMIUM = PLACES.find((place) => existsSync(place))

/** Why no browser can be had; undefined where there is one. */
export const noBrowser: string | undefined =
  CHROMIUM === undefined ? `Chromium is not there: none of ${PLACES.join(', ')}` : undefined

/** Starts a browser without a window. The caller closes it. */
export function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(noBrowser)
  // Chromium's own sandbox needs rights that root in a container has not.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: CHROMIUM, args: sandbox })
}
