/** A file to be fetched. */
export type FetchRequest = {
  readonly url: string
  /** First byte that is wanted. */
  readonly from: number
  /** By what the host knows that it is still the same file; without it, the whole is asked for. */
  readonly validator: string | undefined
  /** Value of the Authorization header for a host with its port, where credentials of it are stored. */
  readonly authorization: (host: string) => string | undefined
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** What came. An error that is final is none of the network: trying again brings the same. */
export type Fetched =
  | {
      readonly kind: 'file'
      /** Where the body begins: `from`, or 0 where the host sends the whole. */
      readonly from: number
      readonly totalBytes: number | undefined
      readonly validator: string | undefined
      /** As the host tells it. */
      readonly sha256: string | undefined
      /** Throws where the connection breaks off. */
      readonly body: AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'beyond' }
  | { readonly kind: 'fault'; readonly why: string; readonly isFinal: boolean }

/** Asks for a file. Never rejects. */
export type FetchFile = (request: FetchRequest) => Promise<Fetched>
