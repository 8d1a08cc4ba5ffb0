import type { RawJson } from './raw-json.ts'

export type Job = {
  readonly id: string
  readonly input: unknown
  /** The input's JSON as received, for numbers that JavaScript cannot hold. */
  readonly inputText: string
}

export type Context = {
  /** Aborted on cancel. A handler that continues is killed after the grace period. */
  readonly signal: AbortSignal
  /**
   * Shows a value as the job's output while it runs. Never blocks.
   * @throws TypeError if it is not JSON
   */
  readonly progress: (value: unknown) => void
  /** Marks a text as JSON: a result, chunk or progress value with numbers that JavaScript cannot hold. */
  readonly rawJson: (text: string) => RawJson
}

/** A promise is awaited, a generator or async iterable is streamed, any other return value is the output. */
export type Handler = (job: Job, context: Context) => unknown

export type Program = {
  readonly handler: Handler
  /** Jobs run at once; overrides the endpoint's setting. Undefined if the file does not say. */
  readonly concurrency: number | undefined
  /** True if the chunks of a stream also become the output. */
  readonly returnAggregateStream: boolean
}
