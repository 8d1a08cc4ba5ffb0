/** The port of targets: requests that go there. */

/** The rest of a file, as a body. */
export type FileBody = {
  readonly file: string
  /** Bytes to leave out at its beginning. */
  readonly from: number
  /** Is told how many bytes of the file were read for sending, those left out included. */
  readonly onSent: (bytes: number) => void
}

/** A request to a target. */
export type TargetRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FileBody
  /** The only host that may be at a private address: the one that the user named. */
  readonly trustedHost: string
  readonly signal: AbortSignal
}

/**
 * Sends a request to a target; redirects are not followed, and what is too long of the answer is cut off.
 * @throws Error with the reason, where no answer came
 */
export type SendToTarget = (request: TargetRequest) => Promise<{ readonly status: number; readonly text: string }>
