import { Menu, type MenuItemConstructorOptions, Tray } from 'electron'
import type { TrayAction, TrayItem, TrayView } from './tray-menu.ts'

export function openTray(icon: string, act: (action: TrayAction) => void): (view: TrayView) => void {
  const tray = new Tray(icon)
  tray.on('click', () => act('open'))
  let drawn = ''
  return ({ tooltip, items }) => {
    // Replacing the menu closes an open one, so unchanged views are skipped.
    const text = JSON.stringify([tooltip, items])
    if (text === drawn) return
    drawn = text
    tray.setToolTip(tooltip)
    tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => menuItem(item, act))))
  }
}

function menuItem(item: TrayItem, act: (action: TrayAction) => void): MenuItemConstructorOptions {
  switch (item.kind) {
    case 'line':
      return { type: 'separator' }
    case 'text':
      return { label: item.label, enabled: false }
    case 'action':
      return { label: item.label, click: () => act(item.action) }
    case 'check':
      return { type: 'checkbox', label: item.label, checked: item.on, click: () => act(item.action) }
  }
}
