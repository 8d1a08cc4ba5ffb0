import type { WebPreferences } from 'electron'

/** What a window's pages may do, which is what they may do in a browser; the rest is set off by name. */
export const WEB_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  // Its dictionaries come from servers of others.
  spellcheck: false,
} as const satisfies WebPreferences
