import type { ModelFacts } from '../../contract/models.ts'

export type ModelReaders = { readonly modelHead: (json: string, dataBytes: number) => ModelFacts }

export type FetchRequest = {
  readonly url: string
  readonly from: number
  /** Identifies the same file to the host; without it the whole file is requested. */
  readonly validator: string | undefined
  readonly authorization: (host: string) => string | undefined
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** Fetch result. A final error is not a network error: a retry would fail too. */
export type Fetched =
  | {
      readonly kind: 'file'
      readonly from: number
      readonly totalBytes: number | undefined
      readonly validator: string | undefined
      readonly sha256: string | undefined
      readonly body: AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'beyond' }
  | { readonly kind: 'fault'; readonly why: string; readonly isFinal: boolean }

export type FetchFile = (request: FetchRequest) => Promise<Fetched>
