import type { StateCreator } from 'zustand/vanilla'

/** Something that a person can do now, from the palette. */
export type Command = {
  readonly id: string
  readonly label: string
  /** The part of the palette that it stands in: the page, or `Go to`. */
  readonly group: string
  /** Keys that do the same, like `g e`. */
  readonly keys?: string
  readonly run: () => void
}

/** What can be done now: pages add what they offer while they are shown. */
export type CommandsSlice = {
  readonly commands: readonly Command[]
  /** Adds commands; returns a function that takes them away. */
  readonly offer: (commands: readonly Command[]) => () => void
}

/** The slice. */
export const createCommandsSlice: StateCreator<CommandsSlice> = (set, get) => ({
  commands: [],
  offer(offered) {
    set({ commands: [...get().commands, ...offered] })
    return () => set({ commands: get().commands.filter((command) => !offered.includes(command)) })
  },
})
