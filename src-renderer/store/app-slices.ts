import type { StateCreator } from 'zustand/vanilla'
import { EDITORS, type EditorName } from '../../src-main/contract/editors.ts'
import type { Platform } from '../browser/platform.ts'

export type Command = {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly detail?: string
  readonly also?: string
  readonly keys?: string
  readonly run: () => void
}

export type Finder = (typed: string) => readonly Command[]

export type CommandsSlice = {
  readonly commands: readonly Command[]
  readonly finders: readonly Finder[]
  readonly offer: (commands: readonly Command[]) => () => void
  readonly offerFinder: (finder: Finder) => () => void
}

export const createCommandsSlice: StateCreator<CommandsSlice> = (set, get) => ({
  commands: [],
  finders: [],
  offer(offered) {
    set({ commands: [...get().commands, ...offered] })
    return () => set({ commands: get().commands.filter((command) => !offered.includes(command)) })
  },
  offerFinder(finder) {
    set({ finders: [...get().finders, finder] })
    return () => set({ finders: get().finders.filter((other) => other !== finder) })
  },
})

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const EDITOR_NAMES = Object.keys(EDITORS) as readonly EditorName[]

/** The graph editor has its own setting, because the canvas needs the space. */
type SidebarArea = 'pages' | 'editor'

const SIDEBAR_KEYS: Readonly<Record<SidebarArea, string>> = { pages: 'sidebar', editor: 'sidebar-editor' }

export type LayoutSlice = {
  readonly theme: Theme
  /** Whether the user chose to show names next to the icons of the sidebar; undefined: no choice yet. */
  readonly sidebarPinned: Readonly<Record<SidebarArea, boolean | undefined>>
  readonly editor: EditorName
  readonly setTheme: (theme: Theme) => void
  readonly pinSidebar: (area: SidebarArea, pinned: boolean) => void
  readonly setEditor: (editor: EditorName) => void
}

export function createLayoutSlice(
  platform: Pick<Platform, 'readPreference' | 'writePreference'>,
): StateCreator<LayoutSlice> {
  const chosen = (area: SidebarArea) => {
    const stored = platform.readPreference(SIDEBAR_KEYS[area])
    return stored === undefined ? undefined : stored === 'pinned'
  }
  return (set) => ({
    theme: THEMES.find((theme) => theme === platform.readPreference('theme')) ?? 'system',
    sidebarPinned: { pages: chosen('pages'), editor: chosen('editor') },
    editor: EDITOR_NAMES.find((name) => name === platform.readPreference('editor')) ?? 'copy',
    setTheme(theme) {
      platform.writePreference('theme', theme)
      set({ theme })
    },
    pinSidebar(area, pinned) {
      platform.writePreference(SIDEBAR_KEYS[area], pinned ? 'pinned' : 'folded')
      set(({ sidebarPinned }) => ({ sidebarPinned: { ...sidebarPinned, [area]: pinned } }))
    },
    setEditor(editor) {
      platform.writePreference('editor', editor)
      set({ editor })
    },
  })
}

export type Notice = {
  readonly id: number
  readonly kind: 'done' | 'error'
  readonly text: string
  readonly undo?: () => void
  readonly more?: { readonly label: string; readonly run: () => void }
}

export type NoticesSlice = {
  readonly notices: readonly Notice[]
  readonly notify: (notice: Omit<Notice, 'id'>) => number
  readonly closeNotice: (id: number) => void
}

const SHOWN = 4

export const createNoticesSlice: StateCreator<NoticesSlice> = (set, get) => {
  let lastId = 0
  return {
    notices: [],
    notify(notice) {
      lastId += 1
      set({ notices: [...get().notices, { ...notice, id: lastId }].slice(-SHOWN) })
      return lastId
    },
    closeNotice: (id) => set({ notices: get().notices.filter((notice) => notice.id !== id) }),
  }
}

/**
 * `connecting` until the first answer, `live` while events arrive, `lost` without an answer, `signed-out` if this
 * browser is unknown.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'signed-out'

export type ConnectionSlice = {
  readonly connection: Connection
  readonly connectionSince: number
  readonly setConnection: (connection: Connection, now: number) => void
}

export const createConnectionSlice: StateCreator<ConnectionSlice> = (set, get) => ({
  connection: 'connecting',
  connectionSince: 0,
  setConnection(connection, now) {
    if (get().connection !== connection) set({ connection, connectionSince: now })
  },
})
