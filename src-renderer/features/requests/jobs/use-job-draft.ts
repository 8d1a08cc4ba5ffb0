import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useSearchParams } from 'wouter'
import type { InputHints } from '../../../../src-main/contract/saved-requests.ts'
import { parseExact } from '../../../../src-main/domain/json/exact-json.ts'
import { useApp } from '../../../store/app-context.ts'
import { inputHintsQuery, jobInputQuery } from '../request-queries.ts'
import { useDraft } from '../use-draft.ts'
import type { JobOperation } from './answer.ts'
import { bodyAround } from './body-text.ts'

/** The job that is being written. */
export type JobDraft = {
  readonly operation: JobOperation
  /** The text of the editor; undefined until there is one to begin with. */
  readonly text: string | undefined
  readonly hints: InputHints['fields']
  /** Why the job of the address could not be read. */
  readonly fault: Error | null
  readonly change: (change: { readonly operation?: JobOperation; readonly body?: string }) => void
  /** Begins from the input of a job, or from what the newest jobs look like. */
  readonly beginFrom: (jobId: string | undefined) => void
}

type Draft = { readonly operation: JobOperation; readonly body?: string; readonly from?: string | undefined }

const INITIAL: Draft = { operation: 'runsync' }
const NO_HINTS: InputHints['fields'] = []
const EMPTY = bodyAround({})

/** The draft of an endpoint. `?from=` in the address puts the input of that job into it. */
export function useJobDraft(endpointId: string): JobDraft {
  const { client, store } = useApp()
  const [search, setSearch] = useSearchParams()
  const [draft, change] = useDraft('job', endpointId, INITIAL)
  const hints = useQuery(inputHintsQuery(client, endpointId))
  const from = search.get('from') ?? undefined
  const wanted = from !== undefined && from !== draft.from ? from : undefined
  const job = useQuery({ ...jobInputQuery(client, wanted ?? ''), enabled: wanted !== undefined })

  useEffect(() => {
    if (wanted === undefined || job.data === undefined) return
    const { body: before } = draft
    change({ body: bodyAround(job.data.input), from: wanted })
    if (before !== undefined)
      store.getState().tell({
        kind: 'done',
        text: 'The input of the job has taken the place of yours.',
        undo: () => change({ body: before }),
      })
  }, [wanted, job.data, draft, change, store])

  const beginFrom = useCallback(
    (jobId: string | undefined) => {
      change({ from: undefined })
      setSearch(jobId === undefined ? {} : { from: jobId })
    },
    [change, setSearch],
  )
  const example = hints.data?.example
  const starter = hints.isPending ? undefined : example === undefined ? EMPTY : bodyAround(parseExact(example))
  return {
    operation: draft.operation,
    text: draft.body ?? (wanted === undefined || job.isError ? starter : undefined),
    hints: hints.data?.fields ?? NO_HINTS,
    fault: wanted === undefined ? null : job.error,
    change,
    beginFrom,
  }
}
