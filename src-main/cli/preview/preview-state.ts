/**
 * What a preview does with a build. A release is made of new code, or of new variables with the code of before; a save
 * that changes neither is passed over, unless an error is on the screen: then it says that all is as before.
 */
import type { BuiltCode } from './concerned-endpoints.ts'

/** What answers now: number of the release, fingerprint of its code, version of its variables. */
type Live = {
  readonly release: number
  readonly fingerprint: string
  readonly variables: number
  readonly code: BuiltCode
}

/** What a preview knows. */
export type PreviewState = {
  readonly live: Live | undefined
  /** Whether the last try failed. */
  readonly hasFailed: boolean
  /** Relative paths that changed since what answers was built; undefined: not known. */
  readonly changed: readonly string[] | undefined
}

/** Before the first release. */
export const NOTHING_LIVE: PreviewState = { live: undefined, hasFailed: false, changed: undefined }

/** The state with a change that was noticed. @param files none: it is not known which */
export function withChange(state: PreviewState, files: readonly string[]): PreviewState {
  if (state.changed === undefined || files.length === 0) return { ...state, changed: undefined }
  return { ...state, changed: [...new Set([...state.changed, ...files])] }
}

/** What is to be done with a build. */
export type NextStep = 'release code' | 'release variables' | 'say as before' | 'nothing'

/** Decides. @param built fingerprint of the code and version of the variables as they are now */
export function nextStep(
  {
    live,
    hasFailed,
  }: { readonly live: Pick<Live, 'fingerprint' | 'variables'> | undefined; readonly hasFailed: boolean },
  built: { readonly fingerprint: string; readonly variables: number },
): NextStep {
  if (live === undefined || live.fingerprint !== built.fingerprint) return 'release code'
  if (live.variables !== built.variables) return 'release variables'
  return hasFailed ? 'say as before' : 'nothing'
}
