import type { DesktopBridge } from '../../src-main/contract/bridge.ts'
import { desktopMessage } from '../platform/desktop.ts'
import type { AppStore } from '../store/app-store.ts'

/** Tells at the edge of the window what the desktop tells; that the service ended is closed when it is up again. */
export function tellDesktopNotices(desktop: DesktopBridge | undefined, store: AppStore): void {
  const { tell, closeNotice } = store.getState()
  let ended: number | undefined
  desktop?.onNotice((notice) => {
    const isOfService = notice.kind !== 'update-ready' && notice.kind !== 'link-refused'
    if (isOfService && ended !== undefined) closeNotice(ended)
    const id = tell(desktopMessage(notice))
    if (isOfService) ended = notice.kind === 'service-restarted' ? undefined : id
  })
}
