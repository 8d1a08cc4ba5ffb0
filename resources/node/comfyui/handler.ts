/**
 * A worker in front of a running ComfyUI server. The input and the sentences are those of the public image worker, so
 * that a payload fails here as it does there. Source: docs/spec/image-workflows.md, 6.2; docs/spec/comfyui.md, 6, 7 and
 * 9.
 */
import { runJob } from './run-job.ts'
import { readSettings } from './settings.ts'

/** A job, as the worker runtime gives it. `inputText`: JSON as it came, for numbers that are no doubles. */
export type Job = { readonly id: string; readonly inputText: string }

/** What a job may use. */
export type JobContext = { readonly signal: AbortSignal; readonly progress: (value: unknown) => void }

/** Runs a graph on the server. What it returns is the job's output; `error` in it makes the job a failed one. */
export function handler(
  { inputText }: Job,
  { signal, progress }: JobContext,
): Promise<Readonly<Record<string, unknown>>> {
  // The runtime makes a line of the job's log of what is printed.
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  if (process.env.BUCKET_ENDPOINT_URL !== undefined)
    log('BUCKET_ENDPOINT_URL is set, but this worker does not upload to a bucket; results are in the response.')
  return runJob(inputText, { settings: readSettings(process.env), signal, progress, log })
}
