import type { Context } from 'hono'
import type { z } from 'zod'
import type { APP_ROUTES } from '../../../contract/app-routes.ts'
import { WORKER_POOLS } from '../../../contract/endpoint.ts'
import { AppError } from '../../../contract/errors.ts'
import type { CancelledJobs, jobFilterBody } from '../../../contract/job-routes.ts'
import { limit } from '../../../contract/limits.ts'
import type { QueryOf } from '../../../contract/routes.ts'
import { DONE, jsonResponse, type ManagementOperations } from '../../../http/operation.ts'
import { momentOf } from '../../../lib/clock.ts'
import type { SentJson } from '../../../lib/json/bytes.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { withFullStop } from '../../../lib/text.ts'
import type { Job, JobStore, NamedJobs } from '../../../storage/storage.ts'
import { requireBatch } from '../../batches/batches.ts'
import { requireComparison } from '../../comparisons/require-comparison.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import { machineAway, viewDelivery, viewJobRow, viewQueueStatus, viewWaiting } from '../../endpoints/views.ts'
import type { ServiceBase, ServiceContext } from '../../service-context.ts'
import { isBridge } from '../../workflows/rules/runs/takes-workflows.ts'
import { openRuns } from '../../workflows/runs.ts'
import { changeJobs, runJobAgain } from '../again/run-jobs-again.ts'
import { cancelEffects } from '../cancel-effects.ts'
import { deleteJob } from '../delete-job.ts'
import {
  countJobs,
  countJobsByState,
  type ListRequest,
  listJobs,
  listJobsById,
  previewJob,
  previewsOf,
  selectionOf,
} from '../list-jobs.ts'
import { reorderJob } from '../queue/change-job.ts'
import type { JobSelection } from '../queue/change-many-jobs.ts'
import { EMPTY_INPUT, isEmptyInput } from '../rules/empty-input.ts'
import { startedAgain } from '../rules/lost-machine.ts'
import { reportedWait } from '../rules/report.ts'

type Services = ServiceBase & Pick<ServiceContext, 'views' | 'models' | 'webhooks' | 'pendingBulk'>

export function jobOf({ jobId }: { readonly jobId: string }, { storage }: Pick<Services, 'storage'>): Job {
  const job = storage.jobs.find(jobId)
  if (job === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
}

// Written in pieces, because the payloads are passed on unchanged.
async function detail(service: Services, job: Job): Promise<readonly SentJson[]> {
  const { storage, views } = service
  const { workerId } = views.leases.get(job.id) ?? {}
  const otherJobs = workerId === undefined ? 0 : views.leases.ofWorker(workerId).length - 1
  const facts = {
    ...viewJobRow(service, job),
    lowPriority: job.lowPriority === 1,
    priority: job.priority,
    attempt: job.attempt,
    graph: storage.graphs.ofJob(job.seq),
    history: storage.jobs.history(job.seq),
    deliveries: storage.webhooks.ofJob(job.seq).map((delivery) => viewDelivery(views, delivery)),
    chunkCount: storage.chunks.count(job.seq),
    ...(otherJobs > 0 ? { otherJobs } : {}),
    ...(storage.archive.isOutputRemoved(job.seq) ? { outputRemoved: true } : {}),
  }
  const input = (await storage.jobs.openInput(job)) ?? 'null'
  const warnings = warningsOf(facts.history, input)
  const output = await storage.jobs.openOutput(job)
  const end = output === undefined ? ['}'] : [',"output":', output, '}']
  const all = { ...facts, ...(warnings.length === 0 ? {} : { warnings }), ...(await whyItWaits(service, job)) }
  return [JSON.stringify(all).slice(0, -1), ',"input":', input, ...end]
}

function warningsOf(history: ReturnType<JobStore['history']>, input: SentJson): readonly string[] {
  const end = history.findLast(({ to }) => to === 'COMPLETED')?.reason
  const isEmpty = (typeof input === 'string' || input instanceof Uint8Array) && isEmptyInput(input)
  return [
    ...(end === undefined ? [] : [withFullStop(end)]),
    ...warningsOfRuns(history),
    ...(isEmpty ? [EMPTY_INPUT] : []),
  ]
}

function warningsOfRuns(history: ReturnType<JobStore['history']>): readonly string[] {
  const warning = startedAgain(history)
  return warning === undefined ? [] : [warning]
}

async function progress(service: Services, job: Job): Promise<readonly SentJson[]> {
  const output = job.status === 'IN_PROGRESS' ? await service.storage.jobs.openOutput(job) : undefined
  const warnings = warningsOfRuns(service.storage.jobs.history(job.seq))
  const facts = {
    ...viewJobRow(service, job),
    attempt: job.attempt,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(await whyItWaits(service, job)),
  }
  const end = output === undefined ? ['}'] : [',"progress":', output, '}']
  return [JSON.stringify(facts).slice(0, -1), ...end]
}

async function whyItWaits({ storage, views }: Services, job: Job) {
  const endpoint = storage.endpoints.get(job.endpointId)
  if (endpoint === undefined) return {}
  if (job.status !== 'IN_PROGRESS') return viewQueueStatus(views, endpoint, job)
  const away = machineAway(views, job)
  if (away !== undefined) return viewWaiting(away)
  const output = isBridge(endpoint.config) ? await storage.jobs.readOutput(job) : undefined
  const text = output === undefined ? undefined : reportedWait(jsonText(output))
  return viewWaiting(text === undefined ? undefined : { text, needsChange: false })
}

export const JOB_OPERATIONS = {
  jobRead: async ({ path }, service) => jsonResponse(await detail(service, jobOf(path, service))),
  jobPreview: ({ path }, service) => previewJob(service, jobOf(path, service)),
  jobProgress: async ({ path }, service) => jsonResponse(await progress(service, jobOf(path, service))),
  async jobDelete({ path }, service) {
    await deleteJob(service, jobOf(path, service))
    return DONE
  },
  async jobReorder({ path, body }, service) {
    const job = jobOf(path, service)
    const { id, status } = await reorderJob(service, job, body)
    return { id, status }
  },
  jobQueue({ path, query }, service) {
    const { id } = endpointOf(path, service)
    const most = query.limit ?? limit('listPageMax')
    const waiting = WORKER_POOLS.flatMap((pool) => service.storage.jobs.inOrder(id, pool, most + 1)).slice(0, most + 1)
    const shown = waiting.slice(0, most)
    const previews = query.previews === true ? previewsOf(service.storage, shown) : undefined
    const jobs = shown.map(({ seq, id, lowPriority, pool, priority, createdAt }) => {
      const preview = previews?.get(seq)
      const facts = { id, lowPriority: lowPriority === 1, pool, priority, createdAt }
      return preview === undefined ? facts : { ...facts, preview }
    })
    return { jobs, more: waiting.length > most }
  },
  async jobRerun({ path }, service) {
    const { id, status } = await runJobAgain(service, jobOf(path, service))
    return { id, status }
  },
  jobChunks({ path, query }, service) {
    const { rows, more } = service.storage.chunks.after(jobOf(path, service).seq, query.after ?? 0, query.limit)
    return jsonResponse(`{"chunks":[${rows.map(({ chunk }) => chunk).join(',')}],"more":${more}}`)
  },
  async deliveryResend({ path }, service) {
    const { storage, clock, webhooks, views } = service
    const deliveryId = Number(path.deliveryId)
    const sent = Number.isSafeInteger(deliveryId)
      ? await storage.write(() => storage.webhooks.resend(deliveryId, momentOf(clock)))
      : undefined
    if (sent === undefined) throw new AppError('DELIVERY_NOT_FOUND', { deliveryId: path.deliveryId.slice(0, 20) })
    webhooks.deliverDue()
    return viewDelivery(views, sent)
  },
} as const satisfies Partial<ManagementOperations<Services>>

export function filterOf(
  query: QueryOf<typeof APP_ROUTES.jobStates> & Partial<Pick<QueryOf<typeof APP_ROUTES.jobCount>, 'status' | 'cursor'>>,
): Omit<ListRequest, 'limit' | 'offset'> {
  return {
    endpointId: query.endpoint,
    states: query.status,
    workerId: query.worker,
    batchId: query.batch,
    from: query.from,
    to: query.to,
    archived: query.expired,
    q: query.q,
    cursor: query.cursor,
  }
}

const searchOf = (query: Parameters<typeof filterOf>[0], c: Context): ReturnType<typeof filterOf> => ({
  ...filterOf(query),
  ...(query.q === undefined ? {} : { signal: c.req.raw.signal }),
})

async function namedIn(
  service: Services,
  {
    ids,
    filter = {},
  }: { readonly ids?: string[] | undefined; readonly filter?: z.infer<typeof jobFilterBody> | undefined },
): Promise<NamedJobs> {
  return ids === undefined ? await selectionOf(service.storage, filter) : { ids }
}

async function selectedIn(
  service: Services,
  { batch, sweep, comparison, ...named }: CancelledJobs,
): Promise<JobSelection> {
  const { storage } = service
  if (batch !== undefined) return { batch: requireBatch(storage, batch).seq, states: ['IN_PROGRESS'] }
  if (sweep !== undefined) return { ids: openRuns(storage, sweep) }
  if (comparison !== undefined) return { ids: storage.comparisons.openJobs(requireComparison(storage, comparison).id) }
  return await namedIn(service, named)
}

export const JOB_BULK_OPERATIONS = {
  async jobList({ c, query }, service) {
    const { ids, offset, limit: page, previews, order } = query
    if (ids !== undefined) return listJobsById(service, ids, previews)
    return await listJobs(service, { ...searchOf(query, c), offset, limit: page, previews, order })
  },
  jobCount: async ({ c, query }, { storage }) =>
    await countJobs(storage, { ...searchOf(query, c), after: query.after }),
  jobStates: async ({ c, query }, { storage }) => await countJobsByState(storage, searchOf(query, c)),
  jobBulk: async ({ body }, service) => await changeJobs(service, body.action, await namedIn(service, body)),
  async jobCancelEffects({ body }, service) {
    return await cancelEffects(
      { storage: service.storage, leases: service.views.leases },
      await selectedIn(service, body),
    )
  },
  pendingBulkList: (_request, { pendingBulk }) => ({ actions: [...pendingBulk.list()] }),
  async pendingBulkCreate({ body }, service) {
    return await service.pendingBulk.add(body.action, await namedIn(service, body), body.delayMs)
  },
  pendingBulkRead: ({ path }, { pendingBulk }) => pendingBulk.read(path.actionId),
  pendingBulkStart: async ({ path }, { pendingBulk }) => await pendingBulk.runNow(path.actionId),
  async pendingBulkUndo({ path }, { pendingBulk }) {
    await pendingBulk.undo(path.actionId)
    return DONE
  },
} as const satisfies Partial<ManagementOperations<Services>>
