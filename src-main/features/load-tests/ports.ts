export type SentRequest = {
  readonly url: string
  /** Path and query, sent unchanged: `..` is for the worker to interpret. */
  readonly target: string
  readonly method: string
  readonly key: string
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** A response; an undefined status comes with the reason. Overlong text is truncated. */
export type SentResponse = {
  readonly ms: number
  readonly status: number | undefined
  readonly text: string
  readonly error: string | undefined
}

export type RequestSender = (request: SentRequest) => Promise<SentResponse>
