import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { LoadTestCreate } from '../../../../src-main/contract/load-tests.ts'
import { readBody } from '../jobs/body-text.ts'
import { useJobDraft } from '../jobs/use-job-draft.ts'
import { useWebDraft } from '../web/use-web-draft.ts'
import { hasBody, webFault } from '../web/web-draft.ts'

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
export function useWebRequest(endpoint: Pick<LiveEndpoint, 'id' | 'app'>): Written {
  const [draft] = useWebDraft(endpoint)
  const { method, path, body } = draft
  const carries = hasBody(draft)
  return {
    plan: { operation: 'request', method, path, ...(carries ? { body } : {}) },
    words: `${method} ${path}`,
    onWords: () => undefined,
    fault: carries && draft.bodyKind !== 'JSON' ? 'A load test sends JSON bodies only.' : webFault(draft, undefined),
  }
}
