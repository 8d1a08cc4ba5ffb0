/**
 * What the kinds of endpoints do with jobs, THE table: how a request becomes a job, whose workers run it, which jobs
 * are the endpoint's. A row begins as an endpoint with a queue and says what is different.
 */
import { AppError } from '../contract/errors.ts'
import type { JobList } from '../contract/job.ts'
import type { InputHints } from '../contract/requests.ts'
import { type EndpointKindName, endpointKind } from '../domain/endpoint-kind.ts'
import { addressesOf } from './endpoints/views.ts'
import { type JobPageRequest, listEndpointJobs, listGraphJobs } from './jobs/list-jobs.ts'
import { graphHints, hintsOfJobs } from './jobs/saved-requests.ts'
import type { Models } from './models/models.ts'
import type { ReadsInThread } from './ports/read-in-thread.ts'
import type { Endpoint, Job, Storage } from './ports/storage.ts'
import type { Clock, NewId } from './ports/system.ts'
import { purgeGraph, purgeQueue } from './queue/change-many-jobs.ts'
import { type Submission, submitJob } from './queue/submit.ts'
import { submitToGraph, submitWithRun } from './workflows/submit-graph.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

/** What a job is made with. */
export type SubmitDeps = Deps & ReadsInThread & { readonly newId: NewId; readonly models: Pick<Models, 'here'> }

/** What depends on the kind of an endpoint. */
export type EndpointKind = {
  /**
   * Queues the job of a request; resolves when it is durable.
   * @param withJob writes what belongs to the new job, in the same transaction
   * @throws AppError as submitJob does; of workflows and graphs also MODEL_NOT_INSTALLED, BAD_FIELD, BODY_TOO_LARGE,
   *   GRAPH_WITHOUT_ENDPOINT
   */
  readonly submit: (
    deps: SubmitDeps,
    endpoint: Endpoint,
    submission: Submission,
    withJob?: (job: Job) => void,
  ) => Promise<Job>
  /**
   * The endpoint that does its work; undefined where it has workers of its own, which have settings and can be paused.
   */
  readonly backingId: (endpoint: Pick<Endpoint, 'config'>) => string | undefined
  /** Whether a job came through this endpoint. */
  readonly hasJob: (storage: Pick<Storage, 'graphs'>, endpoint: Endpoint, job: Job) => boolean
  /** The jobs that the job API knows, newest first. @throws AppError BAD_FIELD where there is no search */
  readonly list: (deps: Deps, endpoint: Endpoint, request: JobPageRequest) => Promise<JobList>
  /** Cancels the jobs that wait. @returns how many */
  readonly purge: (deps: Deps, endpointId: string) => Promise<number>
  /** What its inputs look like, for who writes the next one. */
  readonly inputHints: (storage: Pick<Storage, 'jobs' | 'graphs' | 'apps'>, endpoint: Endpoint) => Promise<InputHints>
}

const QUEUE: EndpointKind = {
  submit: submitJob,
  backingId: () => undefined,
  hasJob: (_storage, { id }, job) => job.endpointId === id,
  list: listEndpointJobs,
  purge: purgeQueue,
  inputHints: hintsOfJobs,
}

const ENDPOINT_KINDS: Readonly<Record<EndpointKindName, EndpointKind>> = {
  queue: QUEUE,
  // One that is load-balanced now may have jobs from before; the job API lets no request through to it.
  'load-balanced': QUEUE,
  workflows: { ...QUEUE, submit: submitWithRun },
  graph: {
    submit: submitToGraph,
    backingId: ({ config }) => config.graph?.behind,
    hasJob: ({ graphs }, { id }, job) => graphs.ofJob(job.seq)?.endpointId === id,
    list: listGraphJobs,
    purge: purgeGraph,
    inputHints: graphHints,
  },
}

/** What the kind of this endpoint does. */
export const kindOf = ({ config }: Pick<Endpoint, 'config'>): EndpointKind => ENDPOINT_KINDS[endpointKind(config)]

/** The endpoint whose workers do the work, so that its health counts; itself where that was deleted. */
export function workedBy({ endpoints }: Pick<Storage, 'endpoints'>, endpoint: Endpoint): Endpoint {
  const backingId = kindOf(endpoint).backingId(endpoint)
  return (backingId === undefined ? undefined : endpoints.get(backingId)) ?? endpoint
}

/** Where the service is: errors name the address that was meant. */
type Addressed = { readonly info: () => { readonly url: string } }

/** @throws AppError NOT_QUEUE_BASED: a load-balanced endpoint takes no jobs */
export function requireQueue(endpoint: Endpoint, { info }: Addressed): void {
  if (endpoint.config.loadBalanced === undefined) return
  const { url, hostUrl } = addressesOf(endpoint, info().url)
  throw new AppError('NOT_QUEUE_BASED', { endpointId: endpoint.id, address: `${url}/ or ${hostUrl}/` })
}

/** @throws AppError NOT_LOAD_BALANCED: any other endpoint takes no HTTP requests */
export function requireLoadBalanced(endpoint: Endpoint, { info }: Addressed): void {
  if (endpoint.config.loadBalanced !== undefined) return
  const { url } = addressesOf(endpoint, info().url)
  throw new AppError('NOT_LOAD_BALANCED', { endpointId: endpoint.id, address: `${url}/run or ${url}/runsync` })
}
