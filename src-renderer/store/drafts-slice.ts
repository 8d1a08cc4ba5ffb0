import type { StateCreator } from 'zustand/vanilla'

/**
 * What a person is writing, by a name like `job hello`. It lives as long as the window: going to another page and back
 * loses nothing, and nothing of it is written to the disk, as inputs may hold secrets.
 */
export type DraftsSlice = {
  readonly drafts: Readonly<Record<string, unknown>>
  readonly setDraft: (name: string, draft: unknown) => void
}

/** The slice. */
export const createDraftsSlice: StateCreator<DraftsSlice> = (set, get) => ({
  drafts: {},
  setDraft: (name, draft) => set({ drafts: { ...get().drafts, [name]: draft } }),
})
