import { limit } from '../../contract/limits.ts'
import type { Clock, Storage } from '../ports.ts'

const RUNS = 200

/** Deletes workflows that were deleted an hour ago, and runs that are old, too many or too large together. */
export async function sweepWorkflows({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'write' | 'workflows' | 'runs'>
  readonly clock: Pick<Clock, 'now'>
}): Promise<void> {
  await storage.write(() => storage.workflows.sweep(clock.now() - limit('workflowRestoreMs')))
  const kept = { before: clock.now() - limit('runsKeptMs'), count: limit('runsKept'), bytes: limit('runsKeptBytes') }
  while ((await storage.write(() => storage.runs.trim(kept, RUNS))) > 0);
}
