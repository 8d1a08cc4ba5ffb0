import { AppError } from '../../../contract/errors.ts'
import { fileResponse, type ManagementOperations } from '../../../http/operation.ts'
import type { Job } from '../../../storage/storage.ts'
import { hiddenValues } from '../../apps/variables.ts'
import type { SubmitDeps } from '../../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import { viewDelivery, viewEndpoint } from '../../endpoints/views.ts'
import type { ServiceBase, ServiceContext } from '../../service-context.ts'
import { exportJobs, searchable } from '../list-jobs.ts'
import { importLines, queueLine } from './job-lines.ts'
import { filterOf, jobOf } from './jobs.ts'

type Services = SubmitDeps & ServiceBase & Pick<ServiceContext, 'views' | 'webhooks'>

export const JOB_FILE_OPERATIONS = {
  async jobExport({ query }, service) {
    const { ids } = query
    const selection = ids === undefined ? { filter: await searchable(service.storage, filterOf(query)) } : { ids }
    const pieces = exportJobs(service, selection)
    return fileResponse(pieces, { name: 'jobs.jsonl', type: 'application/x-ndjson' })
  },
  async jobFile({ path }, service) {
    const text = await jobFileText(service, jobOf(path, service))
    return fileResponse([text], { name: `${path.jobId}.job.jsonl`, type: 'application/x-ndjson' })
  },
  async jobImport({ c, path }, service) {
    const endpoint = endpointOf(path, service)
    return await importLines(c, { queue: async (_line, bytes) => queueLine(service, endpoint, bytes) })
  },
} as const satisfies Partial<ManagementOperations<Services>>

// Lines of the log in an export; source: ours, as many as a page has.
const LOG_LINES = 10_000

async function jobFileText(service: Services, job: Job): Promise<string> {
  const { storage, views, clock, info } = service
  const endpoint = storage.endpoints.get(job.endpointId)
  const pieces: Buffer[] = []
  for await (const piece of exportJobs(service, { ids: [job.id] })) pieces.push(Buffer.from(piece))
  const head = {
    ...{ drydock: 'job' as const, format: 1 as const, version: info().version, exportedAt: clock.now(), jobId: job.id },
    ...(endpoint === undefined ? {} : { endpoint: { ...viewEndpoint(views, endpoint, info().url) } }),
    history: [...storage.jobs.history(job.seq)],
    deliveries: storage.webhooks.ofJob(job.seq).map((delivery) => viewDelivery(views, delivery)),
    logs: [...storage.logs.newest({ by: 'job', id: job.id }, LOG_LINES)],
  }
  const line = Buffer.concat(pieces).toString()
  const written = await service.readInThread.jobFile(line, head, hiddenValues(storage, endpoint))
  if ('text' in written) return written.text
  throw new AppError('NOT_DONE', { why: `the job cannot be written: ${written.problem}` })
}
