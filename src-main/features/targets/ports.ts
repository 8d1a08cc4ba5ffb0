export type FileBody = {
  readonly file: string
  readonly from: number
  readonly onSent: (bytes: number) => void
}

export type TargetRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FileBody
  /** The only host allowed at a private address: the one the user named. */
  readonly trustedHost: string
  readonly signal: AbortSignal
}

/**
 * Sends a request without following redirects; overlong responses are truncated.
 * @throws Error with the reason if no response came
 */
export type SendToTarget = (request: TargetRequest) => Promise<TargetResponse>

export type TargetResponse = { readonly status: number; readonly contentType: string; readonly text: string }
