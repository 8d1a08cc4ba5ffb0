import type { LoadTestCreate } from '../../../../src-main/contract/load-tests.ts'
import { readBody } from '../jobs/body-text.ts'
import { useJobDraft } from '../jobs/use-job-draft.ts'
import { useDraft } from '../use-draft.ts'
import { EMPTY_WEB_DRAFT, hasBody, type WebDraft, webFault } from '../web/web-draft.ts'

type Plan = Omit<LoadTestCreate, 'requests' | 'concurrency'>
/** A request as it is written, and what a load test makes of it. */
type Written = {
  readonly plan: Plan
  readonly words: string
  readonly onWords: (words: string) => void
  readonly fault: string | undefined
}

/** The job that is written under Requests; here it can be changed too. */
export function useJobRequest(endpointId: string, operation: 'run' | 'runsync'): Written {
  const { text = '', change } = useJobDraft(endpointId)
  const read = readBody(text)
  return {
    plan: { operation, body: text },
    words: text,
    onWords: (body) => change({ body }),
    fault: read.ok ? undefined : read.fault,
  }
}

/** The request to a load-balanced endpoint that is written under Requests. */
export function useWebRequest(endpointId: string): Written {
  const [draft] = useDraft<WebDraft>('web', endpointId, EMPTY_WEB_DRAFT)
  const { method, path, body } = draft
  const carries = hasBody(draft)
  return {
    plan: { operation: 'request', method, path, ...(carries ? { body } : {}) },
    words: `${method} ${path}`,
    onWords: () => undefined,
    fault: carries && draft.bodyKind !== 'JSON' ? 'A load test sends JSON bodies only.' : webFault(draft, undefined),
  }
}
