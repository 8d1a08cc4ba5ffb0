/** THE table of endpoint kinds. Rows override the queue's behaviour. */
import { AppError } from '../../../contract/errors.ts'
import type { JobList } from '../../../contract/job.ts'
import type { InputHints } from '../../../contract/requests.ts'
import type { Clock, NewId } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { Endpoint, Job, Storage } from '../../../storage/storage.ts'
import { type JobPageRequest, listEndpointJobs, listGraphJobs } from '../../jobs/list-jobs.ts'
import { purgeGraph, purgeQueue } from '../../jobs/queue/change-many-jobs.ts'
import { type Submission, submitJob } from '../../jobs/queue/submit.ts'
import { graphHints, hintsOfJobs } from '../../jobs/saved-requests.ts'
import type { Models } from '../../models/models.ts'
import type { ReadsGraphs } from '../../workflows/ports/readers.ts'
import { splitGraphInput, submitToGraph, submitWithRun } from '../../workflows/submit-graph.ts'
import { type EndpointKindName, endpointKind } from '../rules/endpoint-kind.ts'
import { addressesOf } from '../views.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

export type SubmitDeps = Deps & ReadsGraphs & { readonly newId: NewId; readonly models: Pick<Models, 'here'> }

export type EndpointKind = {
  /**
   * Queues a request's job; resolves when durable.
   * @throws AppError as submitJob; for graphs also MODEL_NOT_INSTALLED, BAD_FIELD, BODY_TOO_LARGE,
   * GRAPH_WITHOUT_ENDPOINT
   */
  readonly submit: (
    deps: SubmitDeps,
    endpoint: Endpoint,
    submission: Submission,
    withJob?: (job: Job) => void,
  ) => Promise<Job>
  /** Separates members of an input that only workers may see. */
  readonly splitInput: (deps: SubmitDeps, input: Json) => Promise<Pick<Submission, 'input' | 'secretInput'>>
  readonly readsInput: boolean
  readonly backingId: (endpoint: Pick<Endpoint, 'config'>) => string | undefined
  readonly hasJob: (storage: Pick<Storage, 'graphs'>, endpoint: Endpoint, job: Job) => boolean
  readonly list: (deps: Deps, endpoint: Endpoint, request: JobPageRequest) => Promise<JobList>
  readonly purge: (deps: Deps, endpointId: string) => Promise<number>
  readonly inputHints: (storage: Pick<Storage, 'jobs' | 'graphs' | 'apps'>, endpoint: Endpoint) => Promise<InputHints>
}

const QUEUE: EndpointKind = {
  submit: submitJob,
  splitInput: async (_deps, input) => ({ input }),
  readsInput: false,
  backingId: () => undefined,
  hasJob: (_storage, { id }, job) => job.endpointId === id,
  list: listEndpointJobs,
  purge: purgeQueue,
  inputHints: hintsOfJobs,
}

const ENDPOINT_KINDS: Readonly<Record<EndpointKindName, EndpointKind>> = {
  queue: QUEUE,
  // It may have jobs from before it was load-balanced; the job API refuses all requests.
  'load-balanced': QUEUE,
  workflows: { ...QUEUE, submit: submitWithRun, splitInput: splitGraphInput, readsInput: true },
  graph: {
    submit: submitToGraph,
    splitInput: QUEUE.splitInput,
    readsInput: true,
    backingId: ({ config }) => config.graph?.behind,
    hasJob: ({ graphs }, { id }, job) => graphs.ofJob(job.seq)?.endpointId === id,
    list: listGraphJobs,
    purge: purgeGraph,
    inputHints: graphHints,
  },
}

export const kindOf = ({ config }: Pick<Endpoint, 'config'>): EndpointKind => ENDPOINT_KINDS[endpointKind(config)]

export function workedBy({ endpoints }: Pick<Storage, 'endpoints'>, endpoint: Endpoint): Endpoint {
  const backingId = kindOf(endpoint).backingId(endpoint)
  return (backingId === undefined ? undefined : endpoints.get(backingId)) ?? endpoint
}

type Addressed = { readonly info: () => { readonly url: string } }

export function requireQueue(endpoint: Endpoint, { info }: Addressed): void {
  if (endpoint.config.loadBalanced === undefined) return
  const { url, hostUrl } = addressesOf(endpoint, info().url)
  throw new AppError('NOT_QUEUE_BASED', { endpointId: endpoint.id, address: `${url}/ or ${hostUrl}/` })
}

export function requireLoadBalanced(endpoint: Endpoint, { info }: Addressed): void {
  if (endpoint.config.loadBalanced !== undefined) return
  const { url } = addressesOf(endpoint, info().url)
  throw new AppError('NOT_LOAD_BALANCED', { endpointId: endpoint.id, address: `${url}/run or ${url}/runsync` })
}
