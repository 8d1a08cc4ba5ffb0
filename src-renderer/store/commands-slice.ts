import type { StateCreator } from 'zustand/vanilla'

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

/** The slice. */
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
