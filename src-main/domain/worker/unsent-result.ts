/** What a line of the public SDK says about the result of a job; undefined: nothing. Source: observed, 1.7.11 to 1.12. */
export type UnsentResult =
  /** Something could not be written as JSON: the result, or progress or a chunk before it. */
  | { readonly kind: 'unsent'; readonly problem: string }
  /** The worker is done with the job. `problem`: it gave up on it, so that no result comes. */
  | { readonly kind: 'done'; readonly problem: string | undefined }

const UNSENT = /^Error while returning job result\. \| (.+)$/s
const GIVEN_UP = /^Error handling job: (.+)$/s
const DONE = 'Finished.'

/** Reads a line that names its job. */
export function readUnsentResult(line: string): UnsentResult | undefined {
  if (line === DONE) return { kind: 'done', problem: undefined }
  const unsent = UNSENT.exec(line)?.[1]
  if (unsent !== undefined) return { kind: 'unsent', problem: unsent.trim() }
  const givenUp = GIVEN_UP.exec(line)?.[1]
  return givenUp === undefined ? undefined : { kind: 'done', problem: givenUp.trim() }
}
