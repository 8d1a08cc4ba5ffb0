/**
 * Faults that are planted to see that they are found: a service that answers before a sync has ended, or without one,
 * leaves the same trace as one whose syncs do less than they say.
 */
import type { SyncTruth } from './disk-model.ts'

/** Which syncs do not what they say. */
export const FAULTS = {
  /** Answers leave before the sync of their commit: each sync brings only what the one before it should have. */
  log: { path: /^drydock\.db-wal$/, truth: 'late' },
  'log without its name': { path: /^$/, truth: 'skipped' },
  database: { path: /^drydock\.db$/, truth: 'skipped' },
  payload: { path: /^payloads\//, truth: 'skipped' },
  'name of a payload': { path: /^payloads$/, truth: 'skipped' },
  asset: { path: /^assets\//, truth: 'skipped' },
  'name of an asset': { path: /^assets$/, truth: 'skipped' },
  artifact: { path: /^artifacts\//, truth: 'skipped' },
  'name of an artifact': { path: /^artifacts$/, truth: 'skipped' },
  'code of a release': { path: /^unpacked\/.*\/number\.txt$/, truth: 'skipped' },
  'name of the code': { path: /^unpacked$/, truth: 'skipped' },
  'key of the secrets': { path: /^secrets\.key/, truth: 'skipped' },
  'account key': { path: /^account\.key/, truth: 'skipped' },
} as const satisfies Record<string, { readonly path: RegExp; readonly truth: SyncTruth }>

/** The name of one. */
export type Fault = keyof typeof FAULTS

/** The real effect of syncs. @param fault undefined: they do what they say */
export function truthOf(fault: Fault | undefined): (path: string) => SyncTruth {
  if (fault === undefined) return () => 'done'
  const { path, truth } = FAULTS[fault]
  return (synced) => (path.test(synced) ? truth : 'done')
}
