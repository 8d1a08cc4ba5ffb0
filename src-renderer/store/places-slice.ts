import type { StateCreator } from 'zustand/vanilla'

/** Where somebody was: a list is come back to as it was left, with its filters. It lives as long as the window. */
export type PlacesSlice = {
  /** The last search of a page's address, with its question mark, by its path. */
  readonly searches: Readonly<Record<string, string>>
  readonly setSearch: (path: string, search: string) => void
}

/** The slice. */
export const createPlacesSlice: StateCreator<PlacesSlice> = (set, get) => ({
  searches: {},
  setSearch: (path, search) => set({ searches: { ...get().searches, [path]: search === '' ? '' : `?${search}` } }),
})
