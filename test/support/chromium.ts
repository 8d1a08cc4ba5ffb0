import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

/** Whether the tests of the pages drive the window of Electron, and no browser. */
export const inElectron = process.env.DRYDOCK_TEST_WINDOW === 'electron'

// The first has no window at all and opens the same pages in two thirds of the time.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const CHROMIUM = PLACES.find((place) => existsSync(place))

// Each window of Chromium makes these in addition to its page, though no test needs them: two pages below its address
// bar, and a process for the next visit. Together they took a third of the processor's time of opening a page.
const BESIDE_THE_PAGE = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
// The browser obeys the last of several lists, so Playwright's own is said again; test/set-up holds the two together.
const OFF_IN_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
]

const noChromium = CHROMIUM === undefined ? `Chromium is not there: none of ${PLACES.join(', ')}` : undefined

/** Why there is no browser, or no Electron where its window is driven instead; undefined if there is. */
export const noBrowser: string | undefined = inElectron
  ? (await import('../desktop/support.ts')).noElectron
  : noChromium

/** How the browser of tests is started. */
export function chromiumOptions(): LaunchOptions {
  if (CHROMIUM === undefined) throw new Error(noChromium)
  // Chromium's own sandbox needs rights that root in a container has not.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const off = `--disable-features=${[...OFF_IN_PLAYWRIGHT, ...BESIDE_THE_PAGE].join(',')}`
  return { executablePath: CHROMIUM, args: [...sandbox, off] }
}

/** Starts a browser without a window. The caller closes it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch(chromiumOptions())
}
