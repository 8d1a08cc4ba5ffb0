/** A release or a deploy to a target; `rollbackOf` is the number whose code it has. */
type Numbered = {
  readonly number: number
  readonly rollbackOf?: number | undefined
  readonly artifact?: string | undefined
  readonly fingerprint?: string | undefined
}

/**
 * Returns the newest release older than the active code whose code differs, so that a second rollback goes further
 * back.
 * @param earlier newest first
 */
export function earlierCode<One extends Numbered>(active: One | undefined, earlier: readonly One[]): One | undefined {
  if (active === undefined) return earlier[0]
  const origin = active.rollbackOf ?? active.number
  return earlier.find(
    ({ number, artifact, fingerprint }) =>
      number < origin && !(artifact === active.artifact && fingerprint === active.fingerprint),
  )
}

export const numberText = ({ number, rollbackOf }: Pick<Numbered, 'number' | 'rollbackOf'>): string =>
  rollbackOf === undefined ? String(number) : `${number} (the code of release ${rollbackOf})`
