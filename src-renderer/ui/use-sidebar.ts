import { useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { useApp, useAppState } from '../store/app-context.ts'

const EDITOR = ADDRESS.workflow('')

/** If nobody chose, pages show names in a wide window, and the graph editor does not. */
export function useSidebar(): { readonly pinned: boolean; readonly toggle: () => void } {
  const { platform, store } = useApp()
  const [path] = useLocation()
  const area = path.startsWith(EDITOR) && !path.slice(EDITOR.length).includes('/') ? 'editor' : 'pages'
  const chosen = useAppState((state) => state.sidebarPinned[area])
  const isWide = useSyncExternalStore(platform.onWide, platform.isWide)
  const pinned = chosen ?? (isWide && area === 'pages')
  return { pinned, toggle: () => store.getState().pinSidebar(area, !pinned) }
}
