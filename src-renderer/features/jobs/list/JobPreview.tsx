import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { plainJson } from '../../../../src-main/lib/json/plain.ts'
import { ADDRESS } from '../../../addresses.ts'
import { jobPreviewQuery } from '../../../api-client/jobs.ts'
import { useApp } from '../../../store/app-context.ts'
import { CopyButton } from '../../../ui/Button.tsx'
import { ShortJobId } from '../../../ui/jobs/JobCells.tsx'
import { JobErrorNotice } from '../../../ui/output/JobErrorNotice.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { RelativeTime, usePaused } from '../../../ui/Values.tsx'

/** Whether the window has room for all columns of a table of jobs, or for a preview next to it. */
export function useIsWide(): boolean {
  const { platform } = useApp()
  return useSyncExternalStore(platform.onWide, platform.isWide)
}

// A held key moves on sooner; ms. Source: ours.
const SETTLED_MS = 120

export function JobPreview({ job }: { readonly job: JobListItem }) {
  const { client } = useApp()
  // Not read until the row stays active, and a request for another row is cancelled.
  const isSettled = usePaused(job.id, SETTLED_MS, '') === job.id
  const { data } = useQuery({ ...jobPreviewQuery(client, isSettled ? job.id : ''), enabled: isSettled })
  const { id, endpointId, status, createdAt, error, preview } = { ...job, ...(data?.id === job.id ? data : {}) }
  return (
    <aside
      aria-label="Preview"
      className="flex w-96 shrink-0 flex-col gap-3 overflow-y-auto rounded-control border border-line bg-surface-1 p-3"
    >
      <div className="flex items-center gap-2">
        <JobStateDot state={status} />
        <Link
          to={ADDRESS.job(id)}
          title={id}
          aria-label={`Open ${id}`}
          className="font-mono text-small hover:underline"
        >
          <ShortJobId id={id} />
        </Link>
        <span className="ml-auto text-small text-ink-2">
          <RelativeTime at={createdAt} />
        </span>
      </div>
      {error !== undefined && <JobErrorNotice error={error} endpointId={endpointId} />}
      <Payload name="Input" text={preview?.input} />
      <Payload name={status === 'IN_PROGRESS' ? 'Latest progress' : 'Output'} text={preview?.output} />
    </aside>
  )
}

function Payload({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  if (text === undefined) return null
  const shown = inLines(text)
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center justify-between">
        <h3 className="text-small text-ink-2">{name}</h3>
        <CopyButton text={shown} what={name.toLowerCase()} />
      </div>
      <pre className="rounded-control bg-surface-0 p-2 font-mono text-small break-all whitespace-pre-wrap">{shown}</pre>
    </section>
  )
}

function inLines(text: string): string {
  const value = plainJson(text)
  return value === undefined ? text : JSON.stringify(value, undefined, 2)
}
