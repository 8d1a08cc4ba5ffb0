/** One row of `drydock doctor`. */
export type DoctorRow = {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed'
  /** What was seen. */
  readonly found: string
  /** What to do about it; undefined when there is nothing to do. */
  readonly fix?: string | undefined
}
