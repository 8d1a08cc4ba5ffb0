import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { jobPlace } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { reportedWait } from '../../domain/job/reported-wait.ts'
import type { Json } from '../../domain/json/json.ts'
import { isBridge } from '../../domain/workflow-runs/takes-workflows.ts'
import { runJobAgain } from '../../services/management/run-jobs-again.ts'
import { viewDelivery, viewJobRow, viewWaiting, waitingReason } from '../../services/management/views.ts'
import type { Job } from '../../services/ports.ts'
import { changePlaces, moveToFront } from '../../services/queue/reorder.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { momentOf } from '../../services/steady-clock.ts'
import { readJson } from '../read-body.ts'
import { jsonAnswer, queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

function jobOf(c: Context, { storage }: ServiceContext): Job {
  const jobId = c.req.param('jobId') ?? ''
  const job = storage.jobs.find(jobId)
  if (job === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
}

// Written in pieces, because the payloads are passed on as they came.
async function detail(service: ServiceContext, job: Job): Promise<readonly Json[]> {
  const { storage, views } = service
  const facts = {
    ...viewJobRow(service, job),
    lowPriority: job.lowPriority === 1,
    attempt: job.attempt,
    graph: storage.graphs.ofJob(job.seq),
    history: storage.jobs.history(job.seq),
    deliveries: storage.webhooks.ofJob(job.seq).map((delivery) => viewDelivery(views, delivery)),
    chunkCount: storage.chunks.count(job.seq),
    ...(storage.archive.isOutputRemoved(job.seq) ? { outputRemoved: true } : {}),
  }
  const input = (await storage.jobs.readInput(job))?.input ?? 'null'
  const output = await storage.jobs.readOutput(job)
  const end = output === undefined ? ['}'] : [',"output":', output, '}']
  const all = { ...facts, ...whyItWaits(service, job, output) }
  return [JSON.stringify(all).slice(0, -1), ',"input":', input, ...end]
}

async function progress(service: ServiceContext, job: Job): Promise<readonly Json[]> {
  const output = job.status === 'IN_PROGRESS' ? await service.storage.jobs.readOutput(job) : undefined
  const facts = { ...viewJobRow(service, job), attempt: job.attempt, ...whyItWaits(service, job, output) }
  const end = output === undefined ? ['}'] : [',"progress":', output, '}']
  return [JSON.stringify(facts).slice(0, -1), ...end]
}

function whyItWaits({ storage, views }: ServiceContext, job: Job, output: Json | undefined) {
  const endpoint = storage.endpoints.get(job.endpointId)
  if (endpoint === undefined) return {}
  if (job.status !== 'IN_PROGRESS') return viewWaiting(waitingReason(views, endpoint, { job }))
  // What other workers report is theirs, whatever its keys.
  const text =
    isBridge(endpoint.config) && output !== undefined ? reportedWait(Buffer.from(output).toString()) : undefined
  return viewWaiting(text === undefined ? undefined : { text, needsChange: false })
}

/** One job for people, with all that is known of it. */
export const JOB_OPERATIONS = {
  jobRead: async (c, service) => jsonAnswer(await detail(service, jobOf(c, service))),
  jobProgress: async (c, service) => jsonAnswer(await progress(service, jobOf(c, service))),
  async jobReorder(c, service) {
    const job = jobOf(c, service)
    const body = jobPlace.parse((await readJson(c, limit('managementBodyBytes'), 'this operation')).value)
    const { id, status } = await ('to' in body ? moveToFront(service, job) : changePlaces(service, job, body.swapWith))
    return c.json({ id, status })
  },
  jobQueue(c, service) {
    const { id } = endpointOf(c, service)
    const most = queryValue(c, 'limit', APP_ROUTES.jobQueue.query.limit) ?? limit('listPageMax')
    const jobs = service.storage.jobs.inOrder(id, most + 1)
    const shown = jobs.slice(0, most).map((job) => ({ id: job.id, lowPriority: job.lowPriority === 1 }))
    return c.json({ jobs: shown, more: jobs.length > most })
  },
  async jobRerun(c, service) {
    const { id, status } = await runJobAgain(service, jobOf(c, service))
    return c.json({ id, status })
  },
  jobChunks(c, service) {
    const { query } = APP_ROUTES.jobChunks
    const after = queryValue(c, 'after', query.after) ?? 0
    const most = queryValue(c, 'limit', query.limit) ?? limit('chunksPerJob')
    const chunks = service.storage.chunks.after(jobOf(c, service).seq, after, most)
    return jsonAnswer(`{"chunks":[${chunks.map(({ chunk }) => chunk).join(',')}]}`)
  },
  async deliveryResend(c, service) {
    const { storage, clock, webhooks, views } = service
    const deliveryId = Number(c.req.param('deliveryId'))
    const sent = Number.isSafeInteger(deliveryId)
      ? await storage.write(() => storage.webhooks.resend(deliveryId, momentOf(clock)))
      : undefined
    if (sent === undefined)
      throw new AppError('DELIVERY_NOT_FOUND', { deliveryId: c.req.param('deliveryId')?.slice(0, 20) ?? '' })
    webhooks.deliverDue()
    return c.json(viewDelivery(views, sent))
  },
} as const satisfies Record<string, AppHandler>
