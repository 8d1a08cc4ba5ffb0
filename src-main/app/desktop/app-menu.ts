import type { MenuItemConstructorOptions } from 'electron'

export type MenuActions = {
  readonly open: (page: string) => void
  readonly signInAgain: () => void
  readonly showLog: () => void
}

export function appMenu(isMac: boolean, { open, signInAgain, showLog }: MenuActions) {
  const settings: MenuItemConstructorOptions = {
    label: 'Settings',
    accelerator: 'CommandOrControl+,',
    click: () => open('/settings'),
  }
  const quit: MenuItemConstructorOptions = { role: 'quit' }
  return [
    ...(isMac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              { role: 'about' },
              { type: 'separator' },
              settings,
              { type: 'separator' },
              { role: 'services' },
              { type: 'separator' },
              { role: 'hide' },
              { role: 'hideOthers' },
              { role: 'unhide' },
              { type: 'separator' },
              quit,
            ] satisfies MenuItemConstructorOptions[],
          },
        ]
      : []),
    {
      label: '&File',
      submenu: [
        { label: 'Endpoints', click: () => open('/endpoints') },
        { label: 'Jobs', click: () => open('/jobs') },
        { label: 'Apps', click: () => open('/apps') },
        { type: 'separator' },
        ...(isMac ? [{ role: 'close' as const }] : [settings, { type: 'separator' as const }, quit]),
      ],
    },
    { role: 'editMenu', label: '&Edit' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        { label: 'Sign in again', click: signInAgain },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    { role: 'windowMenu', label: '&Window' },
    {
      role: 'help',
      label: '&Help',
      submenu: [
        { label: 'Check this machine', click: () => open('/system') },
        { label: 'Show log', click: showLog },
      ],
    },
  ] satisfies MenuItemConstructorOptions[]
}
