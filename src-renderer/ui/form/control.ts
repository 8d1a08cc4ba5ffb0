/** How a field for text looks, wherever it stands. */
export const CONTROL =
  'rounded-control border border-line-strong bg-surface-1 px-2 placeholder:text-ink-2 aria-invalid:border-failed disabled:bg-surface-2 disabled:text-ink-2'

/** What ties a control to its name and to what is said of it. */
export type ControlIds = {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}
