import { spawn } from 'node:child_process'
import { endProcess, owned, programPath } from './programs.ts'
import type { WorkerSettings } from './service.ts'

/** Starts a worker program against a hand-off floor, with the environment that the service would give it. */
export function startFloorWorker(
  port: number,
  { program = 'worker', loops = 1, output = 'empty' }: WorkerSettings,
): () => Promise<void> {
  const base = `http://127.0.0.1:${port}`
  const worker = spawn(process.execPath, [programPath(program)], {
    stdio: 'inherit',
    env: {
      ...process.env,
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
      RUNPOD_POD_ID: 'floor',
      RUNPOD_AI_API_KEY: 'none',
      BENCH_LOOPS: String(loops),
      BENCH_OUTPUT: output,
    },
  })
  const child = owned(worker)
  return () => endProcess(child)
}
