/** What a handler file exports, and what its handler is given. Only types: a handler file needs no import. */
import type { RawJson } from './raw-json.ts'

/** One job. */
export type Job = {
  readonly id: string
  readonly input: unknown
  /** The input's JSON as it came, for numbers that JavaScript cannot hold. */
  readonly inputText: string
}

/** What a handler may ask of the runtime. */
export type Context = {
  /** Aborted when the job is cancelled. A handler that goes on is ended with its worker after the grace time. */
  readonly signal: AbortSignal
  /** Shows a value as the job's output while it runs. Never waits. @throws TypeError for what is no JSON */
  readonly progress: (value: unknown) => void
  /** Marks a text as JSON: a result, a chunk or a progress value with numbers that JavaScript cannot hold. */
  readonly rawJson: (text: string) => RawJson
}

/**
 * A handler. What it returns decides what it is: a promise is awaited, what a generator or an async iterable gives is
 * streamed, anything else is the output.
 */
export type Handler = (job: Job, context: Context) => unknown

/** What a handler file declares. `concurrency` is missing where the file does not say. */
export type Program = {
  readonly handler: Handler
  /** How many jobs run at once; wins over the endpoint's setting. */
  readonly concurrency: number | undefined
  /** Whether the chunks of a stream are the output too. */
  readonly returnAggregateStream: boolean
}
