/**
 * Runs jobs on a ComfyUI server with the public image worker's inputs and error texts. Source:
 * docs/spec/image-workflows.md, 6.2; docs/spec/comfyui.md, 6, 7, 9.
 */
import { runJob } from './run-job.ts'
import { readSettings } from './settings.ts'

/** A job from the worker runtime. `inputText`: unchanged JSON, for numbers beyond doubles. */
export type Job = { readonly id: string; readonly inputText: string }

export type JobContext = { readonly signal: AbortSignal; readonly progress: (value: unknown) => void }

/** Runs a graph on the server and returns the job's output; `error` in it makes the job fail. */
export function handler(
  { inputText }: Job,
  { signal, progress }: JobContext,
): Promise<Readonly<Record<string, unknown>>> {
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  if (process.env.BUCKET_ENDPOINT_URL !== undefined)
    log('BUCKET_ENDPOINT_URL is set, but this worker does not upload to a bucket; results are in the response.')
  return runJob(inputText, { settings: readSettings(process.env), signal, progress, log })
}
