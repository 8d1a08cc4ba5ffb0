import type { StateCreator } from 'zustand/vanilla'
import { EDITORS, type EditorName } from '../../src-main/contract/editors.ts'
import type { Platform } from '../platform/platform.ts'

/** The colours: those of the system, or always the same. */
export const THEMES = ['system', 'light', 'dark'] as const

/** The colours. */
export type Theme = (typeof THEMES)[number]

const EDITOR_NAMES = Object.keys(EDITORS) as readonly EditorName[]

/** Where the sidebar is: the canvas of the graph editor wants its room, so that one has its own choice. */
export type SidebarPlace = 'pages' | 'editor'

const SIDEBAR_KEYS: Readonly<Record<SidebarPlace, string>> = { pages: 'sidebar', editor: 'sidebar-editor' }

/** How the frame looks; kept on this machine. */
export type LayoutSlice = {
  readonly theme: Theme
  /** Whether somebody chose names beside the icons of the sidebar, on pages and in the graph editor; undefined: nobody did. */
  readonly sidebarPinned: Readonly<Record<SidebarPlace, boolean | undefined>>
  /** What a place in code does when it is pressed. */
  readonly editor: EditorName
  readonly setTheme: (theme: Theme) => void
  readonly pinSidebar: (place: SidebarPlace, pinned: boolean) => void
  readonly setEditor: (editor: EditorName) => void
}

/** The slice, with what was chosen before. */
export function createLayoutSlice(
  platform: Pick<Platform, 'readPreference' | 'writePreference'>,
): StateCreator<LayoutSlice> {
  const chosen = (place: SidebarPlace) => {
    const kept = platform.readPreference(SIDEBAR_KEYS[place])
    return kept === undefined ? undefined : kept === 'pinned'
  }
  return (set) => ({
    theme: THEMES.find((theme) => theme === platform.readPreference('theme')) ?? 'system',
    sidebarPinned: { pages: chosen('pages'), editor: chosen('editor') },
    editor: EDITOR_NAMES.find((name) => name === platform.readPreference('editor')) ?? 'copy',
    setTheme(theme) {
      platform.writePreference('theme', theme)
      set({ theme })
    },
    pinSidebar(place, pinned) {
      platform.writePreference(SIDEBAR_KEYS[place], pinned ? 'pinned' : 'folded')
      set(({ sidebarPinned }) => ({ sidebarPinned: { ...sidebarPinned, [place]: pinned } }))
    },
    setEditor(editor) {
      platform.writePreference('editor', editor)
      set({ editor })
    },
  })
}
