import type { Viewport } from '@xyflow/react'
import { createContext, useContext } from 'react'
import { z } from 'zod'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LinkEnd } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { InputEnd } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import { parseStored } from '../../../browser/local-texts.ts'
import type { Platform } from '../../../browser/platform.ts'

export type Point = { readonly x: number; readonly y: number }

export type LooseLink =
  | { readonly side: 'output'; readonly from: LinkEnd; readonly type: string }
  | { readonly side: 'input'; readonly to: InputEnd; readonly type: string }

export type MenuTarget =
  | { readonly kind: 'canvas'; readonly at: Point }
  | { readonly kind: 'node' | 'group' | 'waypoint'; readonly id: string }
  | { readonly kind: 'link'; readonly id: string; readonly at: Point }

/** The open overlay. `screen`: window position, px; `at`: the canvas position it refers to. */
export type OpenOverlay = { readonly screen: Point } & (
  | /** `isByKey`: opened without a pointer, so the node goes to a free position. */
  { readonly kind: 'add'; readonly at: Point; readonly link?: LooseLink; readonly isByKey?: true }
  | { readonly kind: 'find' }
  | { readonly kind: 'output'; readonly node: string }
  | { readonly kind: 'input'; readonly link: LooseLink; readonly node?: string }
  | { readonly kind: 'menu'; readonly target: MenuTarget }
  | { readonly kind: 'mask'; readonly node: string; readonly input: string; readonly value: string }
)

// Written by an older version of these pages or somebody else: unknown parts are dropped.
const stored = z.object({
  wheel: z.enum(['zoom', 'pan']).catch('zoom'),
  snaps: z.boolean().catch(false),
  hasMinimap: z.boolean().catch(true),
  isPaletteOpen: z.boolean().catch(true),
  /** Width of the panel with inspector and results, px. */
  sideWidth: z
    .number()
    .transform((px) => Math.min(720, Math.max(260, px)))
    .catch(320),
})

/** `isSideOpen` is not read again, because the inspector is nearly empty until something is selected. */
export type CanvasPreferences = Readonly<z.infer<typeof stored>> & { readonly isSideOpen: boolean }

// Run bar height with only its controls, px.
const BAR_HEIGHT = 46

export type CanvasState = {
  readonly preferences: CanvasPreferences
  readonly isLocked: boolean
  readonly links: ReadonlySet<string>
  readonly things: ReadonlySet<string>
  readonly overlay: OpenOverlay | undefined
  readonly renaming: string | undefined
  readonly loose: LooseLink | undefined
  /** The largest height of the run bar so far, px. */
  readonly barHeight: number
  /** The view that a graph was last fitted to; undefined if somebody or the document chose one. */
  readonly fitted: Viewport | undefined
  /** Last announcement; `at` increases, so that the same words are announced again. */
  readonly said: { readonly at: number; readonly text: string }
  readonly prefer: (change: Partial<CanvasPreferences>) => void
  /** Panels collapse if the window width, px, has no space for them, and return. */
  readonly resize: (width: number) => void
  readonly set: (
    change: Partial<Pick<CanvasState, 'isLocked' | 'links' | 'things' | 'overlay' | 'loose' | 'renaming' | 'fitted'>>,
  ) => void
  /** The run bar's largest height, px, stays reserved, so that the view does not jump between runs. */
  readonly keepFree: (barHeight: number) => void
  readonly say: (text: string) => void
}

export type CanvasStore = StoreApi<CanvasState>

// Window widths with space for the canvas and two panels, or one; px.
const ROOM_FOR_TWO = 1200
const ROOM_FOR_ONE = 1000

const PREFERENCE = 'workflow-canvas'

/** @param opening.width of the window, px: panels without space start collapsed */
export function createCanvasStore(
  platform: Pick<Platform, 'readPreference' | 'writePreference'>,
  { width = Number.POSITIVE_INFINITY, isSideOpen = false } = {},
): CanvasStore {
  const read = parseStored(stored, platform.readPreference(PREFERENCE)) ?? stored.parse({})
  let chosen: CanvasPreferences = { ...read, isSideOpen }
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
      // A panel that collapsed for lack of space was not chosen by the user.
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

const roomIn = (width: number) => (width >= ROOM_FOR_TWO ? 2 : width >= ROOM_FOR_ONE ? 1 : 0)

function fitted(chosen: CanvasPreferences, room: number): CanvasPreferences {
  return { ...chosen, isPaletteOpen: chosen.isPaletteOpen && room > 1, isSideOpen: chosen.isSideOpen && room > 0 }
}

export const CanvasContext = createContext<CanvasStore | undefined>(undefined)

export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext)
  if (store === undefined) throw new Error('this component is for the inside of the workflow editor')
  return store
}

export function useCanvas<Selected>(selector: (state: CanvasState) => Selected): Selected {
  return useStore(useCanvasStore(), selector)
}
