import { keepPreviousData, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Copy } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { JobList, JobListItem } from '../../../src-main/contract/job.ts'
import { limit } from '../../../src-main/contract/limits.ts'
import { shortJobId } from '../../../src-main/features/endpoints/rules/ids.ts'
import { ADDRESS } from '../../addresses.ts'
import { read } from '../../browser/read.ts'
import { useApp } from '../../store/app-context.ts'
import { TONE_LINES, type Tone } from '../colours.ts'
import { JobErrorCell } from '../output/JobErrorNotice.tsx'
import { JOB_STATES, JobStateDot } from '../StateDot.tsx'
import { tellIn } from '../use-tell.ts'

type RowLinkProps = {
  readonly to: string
  readonly title: string
  readonly children: ReactNode
}

/** Not wouter's Link: hundreds, mounted during scrolling, would each listen to the address. */
export function RowLink({ to, title, children }: RowLinkProps) {
  return (
    <a href={to} title={title} onClick={(event) => follow(event, to)} className="font-mono text-small hover:underline">
      {children}
    </a>
  )
}

function follow(event: MouseEvent, to: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
  event.preventDefault()
  navigate(to)
}

export function useCopyJobId(id: string): () => Promise<void> {
  const { platform, store } = useApp()
  const { done, failed } = tellIn(store)
  return () =>
    platform.copy(id).then(
      () => done('The id is copied.'),
      () => failed(new Error(`The browser did not allow copying. The id is ${id}.`)),
    )
}

/** Hidden letters have zero size, so a selection copies the full id and a screen reader reads it. */
export function ShortJobId({ id }: { readonly id: string }) {
  const short = shortJobId(id)
  const at = id.lastIndexOf(short)
  return (
    <>
      <span className="text-[0px] leading-[0]">{id.slice(0, at)}</span>
      {short}
      <span className="text-[0px] leading-[0]">{id.slice(at + short.length)}</span>
    </>
  )
}

export function JobLink({ id }: { readonly id: string }) {
  const copy = useCopyJobId(id)
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5 align-middle">
      <RowLink to={ADDRESS.job(id)} title={id}>
        <ShortJobId id={id} />
      </RowLink>
      <button
        type="button"
        tabIndex={-1}
        title="Copy id"
        aria-label="Copy id"
        onClick={() => void copy()}
        className="rounded-control p-0.5 text-ink-2 opacity-0 hover:text-ink focus-visible:opacity-100 [li:hover_&]:opacity-100 [tr:hover_&]:opacity-100"
      >
        <Copy aria-hidden className="size-3.5" />
      </button>
    </span>
  )
}

export function InputCell({ status, preview, found }: Pick<JobListItem, 'preview'> & Partial<JobListItem>) {
  const hit = found?.find((one) => one.in === 'input')
  return hit !== undefined && status !== undefined ? (
    <FoundText found={hit} tone={JOB_STATES[status].tone} isNarrow />
  ) : (
    <Beginning text={preview?.input} />
  )
}

export function ResultCell({ status, error, preview, found }: JobListItem) {
  const hit = found?.find((one) => one.in !== 'input')
  if (hit !== undefined) return <FoundText found={hit} tone={JOB_STATES[status].tone} />
  return error === undefined ? <Beginning text={preview?.output} /> : <JobErrorCell error={error} />
}

type FoundTextProps = {
  readonly found: NonNullable<JobListItem['found']>[number]
  readonly tone: Tone
  /** For a narrow column that says where the words are: neither that nor the words before the first one. */
  readonly isNarrow?: boolean
}

/** The words around the places where a search has found a job, those marked in the colour of its state. */
export function FoundText({ found, tone, isNarrow = false }: FoundTextProps) {
  const { in: place, parts } = found
  const [first = { text: '', isMatch: false }, ...others] = parts
  return (
    <span
      title={`${place}: ${parts.map(({ text }) => text).join('')}`}
      className="inline-flex max-w-full align-middle font-mono text-small"
    >
      {/* Cut at its beginning, so that the first match stays in sight. */}
      <span className="flex max-w-1/4 shrink-0 justify-end overflow-hidden whitespace-pre">
        <span className="shrink-0">
          {!isNarrow && <span className="font-sans text-ink-2">{place}: </span>}
          {!first.isMatch && first.text}
        </span>
      </span>
      <span className="min-w-0 flex-1 truncate whitespace-pre">
        {(first.isMatch ? parts : others).map(({ text, isMatch }, at) =>
          isMatch ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
            <mark key={at} className={clsx('border-b-2 bg-transparent font-semibold text-ink', TONE_LINES[tone])}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </span>
  )
}

function Beginning({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <span title={text} className="font-mono text-small text-ink-2">
      {text}
    </span>
  )
}

export function JobFaces({ ids, label }: { readonly ids: readonly string[]; readonly label: string }) {
  const faces = useJobFaces(ids)
  return (
    <ul aria-label={label} className="flex min-w-0 flex-col">
      {ids.map((id) => {
        const job = faces.get(id)
        return (
          <li key={id} className="flex min-w-0 items-center gap-2">
            <JobLink id={id} />
            {job !== undefined && (
              <>
                <JobStateDot state={job.status} />
                <span className="min-w-0 truncate">
                  <InputCell {...job} />
                </span>
                <span className="min-w-0 truncate">
                  <ResultCell {...job} />
                </span>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const byId = ({ requests }: JobList) => new Map(requests.map((job) => [job.id, job]))
const NONE: ReadonlyMap<string, JobListItem> = new Map()

export function useJobFaces(ids: readonly string[]): ReadonlyMap<string, JobListItem> {
  const { client } = useApp()
  const some = ids.slice(0, limit('listIds')).join(',')
  const { data } = useQuery({
    ...read(client, ['job-faces', some], 'jobList', { query: { ids: some, previews: 'true' } }),
    select: byId,
    placeholderData: keepPreviousData,
    enabled: some !== '',
  })
  return data ?? NONE
}
