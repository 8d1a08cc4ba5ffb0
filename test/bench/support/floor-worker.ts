import { spawn } from 'node:child_process'
import { endProcess, owned, programPath } from './programs.ts'

/** Starts the worker program against a hand-off floor, with the environment that the service would give it. */
export function startFloorWorker(
  port: number,
  settings: { readonly loops: number; readonly output: string },
): () => Promise<void> {
  const base = `http://127.0.0.1:${port}`
  const worker = spawn(process.execPath, [programPath('worker')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
      RUNPOD_POD_ID: 'floor',
      RUNPOD_AI_API_KEY: 'none',
      BENCH_LOOPS: String(settings.loops),
      BENCH_OUTPUT: settings.output,
    },
  })
  const child = owned(worker)
  return () => endProcess(child)
}
