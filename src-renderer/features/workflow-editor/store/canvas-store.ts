/**
 * What the canvas shows beside the document: preferences of this machine, what is selected that is no node, what is
 * open over it, and what was just done, for those who hear it. One a page; what is of the document is in the editor's
 * store.
 */

import type { Viewport } from '@xyflow/react'
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LinkEnd } from '../../../../src-main/domain/workflow/document/document.ts'
import type { InputEnd } from '../../../../src-main/domain/workflow/edit/connect.ts'
import type { Platform } from '../../../platform/platform.ts'

/** A place, px. */
export type Point = { readonly x: number; readonly y: number }

/** A link that has one end: its other end is looked for. `type`: of its slot. */
export type LooseLink =
  | { readonly side: 'output'; readonly from: LinkEnd; readonly type: string }
  | { readonly side: 'input'; readonly to: InputEnd; readonly type: string }

/** What a menu is for. */
export type MenuTarget =
  | { readonly kind: 'canvas'; readonly at: Point }
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'link'; readonly id: string; readonly at: Point }
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'waypoint'; readonly id: string }

/** What is open over the canvas. `screen`: where, px of the window; `at`: the place of the canvas that it is about. */
export type OpenOverlay =
  /** `isByKey`: no hand said where; the node goes to a free space. */
  | {
      readonly kind: 'add'
      readonly screen: Point
      readonly at: Point
      readonly link?: LooseLink
      readonly isByKey?: true
    }
  | { readonly kind: 'find'; readonly screen: Point }
  | { readonly kind: 'output'; readonly screen: Point; readonly node: string }
  | { readonly kind: 'input'; readonly screen: Point; readonly link: LooseLink; readonly node?: string }
  | { readonly kind: 'menu'; readonly screen: Point; readonly target: MenuTarget }
  /** The mask of a picture that a node loads; `value`: what its widget `input` has. */
  | {
      readonly kind: 'mask'
      readonly screen: Point
      readonly node: string
      readonly input: string
      readonly value: string
    }

/** What was chosen on this machine. `wheel`: what a turn of the wheel does. */
export type CanvasPreferences = {
  readonly wheel: 'zoom' | 'pan'
  readonly snaps: boolean
  readonly hasMinimap: boolean
  readonly isPaletteOpen: boolean
  readonly isSideOpen: boolean
  /** Of the panel with inspector and results, px. */
  readonly sideWidth: number
}

// The run bar while nothing but its controls is in it, px.
const BAR_HEIGHT = 46

/** What the canvas shows beside the document. */
export type CanvasState = {
  readonly preferences: CanvasPreferences
  /** Nothing can be moved or linked. */
  readonly isLocked: boolean
  /** Links that are selected, by id. */
  readonly links: ReadonlySet<string>
  /** Groups and points of links that are selected, by the names that the canvas gives them. */
  readonly things: ReadonlySet<string>
  readonly overlay: OpenOverlay | undefined
  /** The group whose title is being written, by its name on the canvas. */
  readonly renaming: string | undefined
  /** The link that is being drawn. */
  readonly loose: LooseLink | undefined
  /** The most that the run bar has taken up, px. */
  readonly barHeight: number
  /** The view that a graph was fitted into last; undefined where somebody or the document chose one. */
  readonly fitted: Viewport | undefined
  /** What was just done; `at` grows, so that the same words are heard again. */
  readonly said: { readonly at: number; readonly text: string }
  readonly prefer: (change: Partial<CanvasPreferences>) => void
  /** The window has another width, px: panels fold where it leaves no room for them any more, and come back. */
  readonly resize: (width: number) => void
  readonly set: (
    change: Partial<Pick<CanvasState, 'isLocked' | 'links' | 'things' | 'overlay' | 'loose' | 'renaming' | 'fitted'>>,
  ) => void
  /** Sets the height of the run bar, px. Its largest height stays reserved: the view does not jump between runs. */
  readonly keepFree: (barHeight: number) => void
  readonly say: (text: string) => void
}

/** The store of what a canvas shows beside the document. */
export type CanvasStore = StoreApi<CanvasState>

// Widths of windows with room for the canvas and two panels, or one; px.
const ROOM_FOR_TWO = 1200
const ROOM_FOR_ONE = 1000

const PREFERENCE = 'workflow-canvas'
const DEFAULTS: CanvasPreferences = {
  wheel: 'zoom',
  snaps: false,
  hasMinimap: true,
  isPaletteOpen: true,
  // Not stored: the inspector is nearly empty until something is selected.
  isSideOpen: false,
  sideWidth: 320,
}

type Opening = {
  /** Of the window, px: panels that leave no room for the canvas begin folded. */
  readonly width?: number
  /** The address names what the panel at the right shows. */
  readonly isSideOpen?: boolean
}

/** Makes the store, with what was chosen before. */
export function createCanvasStore(
  platform: Pick<Platform, 'readPreference' | 'writePreference'>,
  { width = Number.POSITIVE_INFINITY, isSideOpen = DEFAULTS.isSideOpen }: Opening = {},
): CanvasStore {
  let chosen: CanvasPreferences = { ...readPreferences(platform.readPreference(PREFERENCE)), isSideOpen }
  let room = roomIn(width)
  return createStore<CanvasState>()((set, get) => ({
    preferences: fitted(chosen, room),
    isLocked: false,
    links: new Set(),
    things: new Set(),
    overlay: undefined,
    renaming: undefined,
    loose: undefined,
    barHeight: BAR_HEIGHT,
    fitted: undefined,
    said: { at: 0, text: '' },
    prefer(change) {
      // What is folded for want of room was not chosen.
      chosen = { ...chosen, ...change }
      platform.writePreference(PREFERENCE, JSON.stringify(chosen))
      set({ preferences: { ...get().preferences, ...change } })
    },
    resize(next) {
      if (roomIn(next) === room) return
      room = roomIn(next)
      set({ preferences: fitted(chosen, room) })
    },
    set: (change) => set(change),
    keepFree: (barHeight) => set((state) => ({ barHeight: Math.max(barHeight, state.barHeight) })),
    say: (text) => set(({ said }) => ({ said: { at: said.at + 1, text } })),
  }))
}

// How many panels there is room for.
const roomIn = (width: number) => (width >= ROOM_FOR_TWO ? 2 : width >= ROOM_FOR_ONE ? 1 : 0)

function fitted(chosen: CanvasPreferences, room: number): CanvasPreferences {
  return { ...chosen, isPaletteOpen: chosen.isPaletteOpen && room > 1, isSideOpen: chosen.isSideOpen && room > 0 }
}

// Of an older version of these pages, or written by somebody else: what is not one of ours is left out.
function readPreferences(text: string | undefined): CanvasPreferences {
  if (text === undefined) return DEFAULTS
  try {
    const read: Partial<Record<keyof CanvasPreferences, unknown>> = JSON.parse(text)
    const flag = (name: Exclude<keyof CanvasPreferences, 'wheel' | 'sideWidth' | 'isSideOpen'>) =>
      typeof read[name] === 'boolean' ? read[name] : DEFAULTS[name]
    return {
      ...DEFAULTS,
      wheel: read.wheel === 'pan' ? 'pan' : 'zoom',
      snaps: flag('snaps'),
      hasMinimap: flag('hasMinimap'),
      isPaletteOpen: flag('isPaletteOpen'),
      sideWidth: typeof read.sideWidth === 'number' ? Math.min(720, Math.max(260, read.sideWidth)) : DEFAULTS.sideWidth,
    }
  } catch {
    return DEFAULTS
  }
}

/** The store of the canvas that a component is on. */
export const CanvasContext = createContext<CanvasStore | undefined>(undefined)

/** The store of the canvas. @throws Error outside of the editor */
export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext)
  if (store === undefined) throw new Error('this component is for the inside of the workflow editor')
  return store
}

/** Selects from what the canvas shows beside the document. */
export function useCanvas<Selected>(selector: (state: CanvasState) => Selected): Selected {
  return useStore(useCanvasStore(), selector)
}
