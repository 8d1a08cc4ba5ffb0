import type { StateCreator } from 'zustand/vanilla'

/**
 * How the pages stand with the service: `connecting` until it first answers, `live` while events come, `lost` when it
 * does not answer, `signed-out` when it does not know this browser.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'signed-out'

/** The connection. */
export type ConnectionSlice = {
  readonly connection: Connection
  /** Since when it is so, ms since the epoch. */
  readonly connectionSince: number
  readonly setConnection: (connection: Connection, now: number) => void
}

/** The slice. */
export const createConnectionSlice: StateCreator<ConnectionSlice> = (set, get) => ({
  connection: 'connecting',
  connectionSince: 0,
  setConnection(connection, now) {
    if (get().connection !== connection) set({ connection, connectionSince: now })
  },
})
