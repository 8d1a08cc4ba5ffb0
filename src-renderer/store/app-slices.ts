/** Slices of the store that say how the window is: the commands on offer, its look, notices, the connection. */
import type { StateCreator } from 'zustand/vanilla'
import { EDITORS, type EditorName } from '../../src-main/contract/editors.ts'
import type { Platform } from '../platform/platform.ts'

/** Something that a person can do now, from the palette. */
export type Command = {
  readonly id: string
  readonly label: string
  /** The part of the palette that it stands in: the page, or `Go to`. */
  readonly group: string
  /** Stands behind the label. */
  readonly detail?: string
  /** Further words that find it. */
  readonly also?: string
  /** Keys that do the same, like `g e`. */
  readonly keys?: string
  readonly run: () => void
}

/** Finds commands by what was typed, where there may be thousands. */
export type Finder = (typed: string) => readonly Command[]

/** What can be done now: pages add what they offer while they are shown. */
export type CommandsSlice = {
  readonly commands: readonly Command[]
  readonly finders: readonly Finder[]
  /** Adds commands; returns a function that takes them away. */
  readonly offer: (commands: readonly Command[]) => () => void
  /** Adds a finder, which is asked while somebody types; returns a function that takes it away. */
  readonly offerFinder: (finder: Finder) => () => void
}

/** Begins with nothing on offer. */
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

/** The colours: those of the system, or always the same. */
export const THEMES = ['system', 'light', 'dark'] as const

/** A choice of colours. */
export type Theme = (typeof THEMES)[number]

const EDITOR_NAMES = Object.keys(EDITORS) as readonly EditorName[]

/** Where the sidebar is: the canvas of the graph editor wants its room, so that one has its own choice. */
type SidebarArea = 'pages' | 'editor'

const SIDEBAR_KEYS: Readonly<Record<SidebarArea, string>> = { pages: 'sidebar', editor: 'sidebar-editor' }

/** How the frame looks; kept on this machine. */
export type LayoutSlice = {
  readonly theme: Theme
  /**
   * Whether somebody chose names beside the icons of the sidebar, on pages and in the graph editor; undefined: nobody
   * did.
   */
  readonly sidebarPinned: Readonly<Record<SidebarArea, boolean | undefined>>
  /** What a place in code does when it is pressed. */
  readonly editor: EditorName
  readonly setTheme: (theme: Theme) => void
  readonly pinSidebar: (area: SidebarArea, pinned: boolean) => void
  readonly setEditor: (editor: EditorName) => void
}

/** Begins with the look that was chosen before, and keeps what is chosen in the preferences. */
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

/** Something that happened and is told once. It goes by itself, an error later. */
export type Notice = {
  readonly id: number
  readonly kind: 'done' | 'error'
  readonly text: string
  /** Takes back what was done. */
  readonly undo?: () => void
  /** Something else that can be done about it. */
  readonly more?: { readonly label: string; readonly run: () => void }
}

/** What is told at the edge of the window. */
export type NoticesSlice = {
  readonly notices: readonly Notice[]
  /** Tells it. @returns its id */
  readonly notify: (notice: Omit<Notice, 'id'>) => number
  readonly closeNotice: (id: number) => void
}

const SHOWN = 4

/** Begins without notices. */
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
 * How the pages stand with the service: `connecting` until it first answers, `live` while events come, `lost` when it
 * does not answer, `signed-out` when it does not know this browser.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'signed-out'

/** How the pages stand with the service, and since when. */
export type ConnectionSlice = {
  readonly connection: Connection
  /** Since when it is so, ms since the epoch. */
  readonly connectionSince: number
  readonly setConnection: (connection: Connection, now: number) => void
}

/** Begins as `connecting`. */
export const createConnectionSlice: StateCreator<ConnectionSlice> = (set, get) => ({
  connection: 'connecting',
  connectionSince: 0,
  setConnection(connection, now) {
    if (get().connection !== connection) set({ connection, connectionSince: now })
  },
})
