import type { DesktopBridge } from '../../src-main/contract/bridge.ts'
import { desktopMessage } from '../browser/platform.ts'
import type { AppStore } from '../store/app-store.ts'

export function showTheme(store: AppStore, page: HTMLElement): void {
  const show = (theme: string) => {
    if (theme === 'system') page.removeAttribute('data-theme')
    else page.setAttribute('data-theme', theme)
  }
  show(store.getState().theme)
  store.subscribe(({ theme }) => show(theme))
}

export function showDesktopNotices(desktop: DesktopBridge | undefined, store: AppStore): void {
  const { notify, closeNotice } = store.getState()
  let ended: number | undefined
  desktop?.onNotice((notice) => {
    const isOfService = notice.kind !== 'update-ready' && notice.kind !== 'link-refused'
    if (isOfService && ended !== undefined) closeNotice(ended)
    const id = notify(desktopMessage(notice))
    if (isOfService) ended = notice.kind === 'service-restarted' ? undefined : id
  })
}
