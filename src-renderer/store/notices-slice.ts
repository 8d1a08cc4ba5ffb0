import type { StateCreator } from 'zustand/vanilla'

/** Something that happened and is told once. It goes by itself, an error later. */
export type Notice = {
  readonly id: number
  readonly kind: 'done' | 'error'
  readonly text: string
  /** Takes back what was done. */
  readonly undo?: () => void
}

/** What is told at the edge of the window. */
export type NoticesSlice = {
  readonly notices: readonly Notice[]
  /** Tells it. @returns its id */
  readonly tell: (notice: Omit<Notice, 'id'>) => number
  readonly closeNotice: (id: number) => void
}

const SHOWN = 4

/** The slice. */
export const createNoticesSlice: StateCreator<NoticesSlice> = (set, get) => {
  let lastId = 0
  return {
    notices: [],
    tell(notice) {
      lastId += 1
      set({ notices: [...get().notices, { ...notice, id: lastId }].slice(-SHOWN) })
      return lastId
    },
    closeNotice: (id) => set({ notices: get().notices.filter((notice) => notice.id !== id) }),
  }
}
