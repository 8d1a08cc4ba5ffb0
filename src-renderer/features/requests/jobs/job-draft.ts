import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { HELLO, HELLO_INPUT } from '../../../../src-main/contract/catalog.ts'
import type { InputHints } from '../../../../src-main/contract/requests.ts'
import { isRecord, parseExact, plainJson, writeExact } from '../../../../src-main/lib/json/plain.ts'
import { useApp } from '../../../store/app-context.ts'
import { useDraft } from '../draft.ts'
import { inputHintsQuery, jobInputQuery } from '../request-queries.ts'
import type { JobOperation } from './responses.ts'

type ReadBody =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string }

export function readBody(text: string): ReadBody {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return { ok: false, problem: 'A body is a JSON object, like { "input": {} }.' }
    if (!isRecord(value.input)) return { ok: false, problem: 'The body needs an "input" that is an object.' }
    return { ok: true, value }
  } catch (error) {
    return { ok: false, problem: `Not valid JSON yet: ${(error as Error).message}` }
  }
}

/** An object without `input`, as inputs are noted elsewhere. */
export function lacksInput(text: string): boolean {
  const value = plainJson(text)
  return isRecord(value) && !('input' in value)
}

export function bodyAround(input: unknown): string {
  return writeExact({ input }, 2)
}

const OPTION_PATHS = {
  executionTimeout: ['policy', 'executionTimeout'],
  ttl: ['policy', 'ttl'],
  lowPriority: ['policy', 'lowPriority'],
  webhook: ['webhook'],
  idempotencyKey: ['idempotencyKey'],
} as const satisfies Record<string, readonly string[]>

export type JobOption = keyof typeof OPTION_PATHS

export function optionOf(body: Readonly<Record<string, unknown>>, option: JobOption): unknown {
  return OPTION_PATHS[option].reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body)
}

/** Sets an option in the text; undefined removes it and any parent left empty. */
export function withOption(text: string, option: JobOption, value: unknown): string {
  const body = parseExact(text) as Record<string, unknown>
  const [first, second] = OPTION_PATHS[option] as readonly [string, string?]
  if (second === undefined) return written(setIn(body, first, value))
  const inner = body[first]
  const changed = setIn(isRecord(inner) ? inner : {}, second, value)
  return written(setIn(body, first, Object.keys(changed).length === 0 ? undefined : changed))
}

export function optionCount(body: Readonly<Record<string, unknown>>): number {
  return (Object.keys(OPTION_PATHS) as JobOption[]).filter((option) => optionOf(body, option) !== undefined).length
}

function setIn(fields: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _before, ...others } = fields
  return value === undefined ? others : { ...fields, [name]: value }
}

const written = (body: object) => writeExact(body, 2)

type Draft = { readonly operation: JobOperation; readonly body?: string; readonly from?: string | undefined }

const INITIAL: Draft = { operation: 'runsync' }
const NO_HINTS: InputHints['fields'] = []
const EMPTY = bodyAround({})

/** An endpoint's draft; `?from=` in the URL loads the input of that job. */
export function useJobDraft(endpointId: string) {
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
      store.getState().notify({
        kind: 'done',
        text: 'The input of the job has replaced yours.',
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
  const first = endpointId === HELLO ? bodyAround(HELLO_INPUT) : EMPTY
  const starter = hints.isPending ? undefined : example === undefined ? first : bodyAround(parseExact(example))
  return {
    operation: draft.operation,
    text: draft.body ?? (wanted === undefined || job.isError ? starter : undefined),
    hints: hints.data?.fields ?? NO_HINTS,
    problem: wanted === undefined ? null : job.error,
    change,
    beginFrom,
  }
}
