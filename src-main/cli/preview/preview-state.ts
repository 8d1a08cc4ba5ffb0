/**
 * What a preview does with a build. A release is made of new code, or of new variables with the code of before; a save
 * that changes neither is passed over, unless an error is on the screen: then it says that all is as before.
 */

/** What a preview knows. */
export type PreviewState = {
  /** What answers now: number of the release, fingerprint of its code, version of its variables. */
  readonly live: { readonly release: number; readonly fingerprint: string; readonly variables: number } | undefined
  /** Whether the last try failed. */
  readonly hasFailed: boolean
}

/** Before the first release. */
export const NOTHING_LIVE: PreviewState = { live: undefined, hasFailed: false }

/** What is to be done with a build. */
export type NextStep = 'release code' | 'release variables' | 'say as before' | 'nothing'

/** Decides. @param built fingerprint of the code and version of the variables as they are now */
export function nextStep(
  { live, hasFailed }: PreviewState,
  built: { readonly fingerprint: string; readonly variables: number },
): NextStep {
  if (live === undefined || live.fingerprint !== built.fingerprint) return 'release code'
  if (live.variables !== built.variables) return 'release variables'
  return hasFailed ? 'say as before' : 'nothing'
}
