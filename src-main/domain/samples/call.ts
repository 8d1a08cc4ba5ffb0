/** A call as it stands in the editor, of which samples are made. */
export type SampleCall = {
  readonly endpointId: string
  /** Base address of the endpoint for clients, like `http://127.0.0.1:8790/v2/hello`. */
  readonly url: string
} & (JobCall | RequestCall)

/** A job in one of three ways. `body` is valid JSON, as it is sent. */
export type JobCall = { readonly operation: 'run' | 'runsync' | 'stream'; readonly body: string }

/** A request to a load-balanced endpoint. `path` begins with / and holds the query. */
export type RequestCall = {
  readonly operation: 'request'
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  /** What the body is: valid JSON, any text, or the content of a file with this name. */
  readonly bodyIs: 'json' | 'text' | 'file'
}

/** The variable that holds the key in every sample; the key itself is in none. */
export const KEY_VARIABLE = 'SVC_API_KEY'
