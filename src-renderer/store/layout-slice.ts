import type { StateCreator } from 'zustand/vanilla'
import { EDITORS, type EditorName } from '../../src-main/contract/editors.ts'
import type { Platform } from '../platform/platform.ts'

/** The colours: those of the system, or always the same. */
export const THEMES = ['system', 'light', 'dark'] as const

/** The colours. */
export type Theme = (typeof THEMES)[number]

const EDITOR_NAMES = Object.keys(EDITORS) as readonly EditorName[]

/** How the frame looks; kept on this machine. */
export type LayoutSlice = {
  readonly theme: Theme
  /** Whether the sidebar shows names beside its icons. */
  readonly sidebarPinned: boolean
  /** What a place in code does when it is pressed. */
  readonly editor: EditorName
  readonly setTheme: (theme: Theme) => void
  readonly toggleSidebar: () => void
  readonly setEditor: (editor: EditorName) => void
}

/** The slice, with what was chosen before. */
export function createLayoutSlice(
  platform: Pick<Platform, 'readPreference' | 'writePreference'>,
): StateCreator<LayoutSlice> {
  return (set, get) => ({
    theme: THEMES.find((theme) => theme === platform.readPreference('theme')) ?? 'system',
    sidebarPinned: platform.readPreference('sidebar') === 'pinned',
    editor: EDITOR_NAMES.find((name) => name === platform.readPreference('editor')) ?? 'copy',
    setTheme(theme) {
      platform.writePreference('theme', theme)
      set({ theme })
    },
    toggleSidebar() {
      const sidebarPinned = !get().sidebarPinned
      platform.writePreference('sidebar', sidebarPinned ? 'pinned' : 'folded')
      set({ sidebarPinned })
    },
    setEditor(editor) {
      platform.writePreference('editor', editor)
      set({ editor })
    },
  })
}
