import { runJob as run } from '../../../resources/node/comfyui/handler.ts'
import { type BridgeSettings, readSettings } from '../../../resources/node/comfyui/settings.ts'

export type RanJob = {
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly output: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly progress: readonly any[]
  readonly log: readonly string[]
}

/** How a job is run. */
export type JobOptions = Partial<BridgeSettings> & {
  readonly signal?: AbortSignal
  /** Hears each value. */
  readonly onProgress?: (value: unknown) => void
}

/** Runs a job of the bridge in this process. @param inputText JSON of its input */
export async function runJob(inputText: string, { signal, onProgress, ...settings }: JobOptions): Promise<RanJob> {
  const [progress, log]: [unknown[], string[]] = [[], []]
  const output = await run(inputText, {
    settings: { ...readSettings({}), ...settings },
    signal: signal ?? new AbortController().signal,
    progress: (value) => {
      progress.push(value)
      onProgress?.(value)
    },
    log: (line) => void log.push(line),
  })
  return { output, progress, log }
}
