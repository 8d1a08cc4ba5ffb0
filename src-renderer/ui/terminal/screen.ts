/** Size of a terminal in characters. */
export type ScreenSize = { readonly columns: number; readonly rows: number }

/** The screen of a terminal as who feeds it sees it. */
export type Screen = {
  readonly size: () => ScreenSize
  /** Shows what a program wrote, in order. */
  readonly write: (bytes: Uint8Array) => void
  readonly focus: () => void
}

/** What a screen tells of. */
export type ScreenEvents = {
  readonly onInput: (text: string) => void
  readonly onSize: (size: ScreenSize) => void
}

/** A terminal. `connect` is called once, when there is a screen; what it gives back is told of the screen until its end. */
export type TerminalProps = {
  readonly label: string
  readonly connect: (screen: Screen) => ScreenEvents & { readonly close: () => void }
}
