/**
 * Id of a job: `<uuid>-l1` for run, with the prefix `sync-` for runsync. Source: job-api, Job record; the suffix says
 * "local", as the platform's says which region.
 */
export function jobId(kind: 'run' | 'runsync', uuid: string): string {
  return kind === 'runsync' ? `sync-${uuid}-l1` : `${uuid}-l1`
}
