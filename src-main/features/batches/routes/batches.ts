import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { DONE, fileResponse, type ManagementOperations } from '../../../http/operation.ts'
import { requireQueue, type SubmitDeps } from '../../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import { jobId } from '../../endpoints/rules/ids.ts'
import { viewWaiting, waitingReason } from '../../endpoints/views.ts'
import { importLines } from '../../jobs/routes/job-lines.ts'
import { readSubmission } from '../../jobs/routes/submission.ts'
import type { ServiceBase, ServiceContext } from '../../service-context.ts'
import { requireDraft } from '../batch-queue.ts'
import {
  countBatch,
  createBatch,
  deleteBatch,
  exportBatch,
  listBatches,
  readBatch,
  requireBatch,
  retryBatch,
  viewBatch,
} from '../batches.ts'
import { isOfLine } from '../rules/is-of-line.ts'

export const BATCH_OPERATIONS = {
  batchList: ({ query }, service) => ({ batches: [...listBatches(service, query.endpoint)] }),
  async batchCreate({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    return await createBatch(service, endpoint, body)
  },
  async batchAppend({ c, path, query }, service) {
    const { storage, batches } = service
    const batch = requireDraft(requireBatch(storage, path.batchId))
    const endpoint = endpointOf(batch, service)
    requireQueue(endpoint, service)
    let room = countBatch(storage, batch).unsent
    const { queued, ...result } = await importLines(c, {
      first: query.from,
      most: limit('batchPieceLines'),
      isRefusal: isOfLine,
      async queue(line, bytes) {
        if (storage.batches.line(batch.seq, line) !== undefined) return false
        room -= 1
        if (room < 0)
          throw new AppError('BATCH_CLOSED', { batchId: batch.id, why: `has all of its ${batch.total} inputs` })
        return await batches.addLine(endpoint, batch, line, await readSubmission(service, bytes))
      },
      refuse: (line, reason) =>
        storage.write(() => storage.batches.refuse(batch.seq, line, jobId('run', service.newId.uuid()), reason)),
      took: (line) => storage.write(() => storage.batches.receive({ batch: batch.seq, line })),
    })
    return { ...result, added: queued, received: requireBatch(storage, batch.id).received }
  },
  async batchFinalize({ path }, service) {
    const endpoint = endpointOf(requireBatch(service.storage, path.batchId), service)
    requireQueue(endpoint, service)
    return viewBatch(service.storage, await service.batches.finalize(endpoint, path.batchId))
  },
  batchRead({ path }, service) {
    const { storage, views } = service
    const { seq, endpointId } = requireBatch(storage, path.batchId)
    const endpoint = storage.endpoints.get(endpointId)
    const [job] = storage.batches.jobs(seq, 'IN_QUEUE', 0, 1)
    const reason = endpoint && job && waitingReason(views, endpoint, { job })
    return { ...readBatch(service, path.batchId), ...viewWaiting(reason) }
  },
  batchRetry: async ({ path }, service) => await retryBatch(service, path.batchId),
  batchCancel: async ({ path }, { batches }) => await batches.cancel(path.batchId, ['IN_QUEUE', 'IN_PROGRESS']),
  async batchDelete({ path }, service) {
    await service.batches.settled(path.batchId)
    await deleteBatch(service, path.batchId)
    return DONE
  },
  batchExport: ({ path, query }, service) =>
    fileResponse(exportBatch(service, requireBatch(service.storage, path.batchId), query.from), {
      name: 'batch.jsonl',
      type: 'application/x-ndjson',
    }),
} as const satisfies Partial<ManagementOperations<SubmitDeps & ServiceBase & Pick<ServiceContext, 'batches' | 'views'>>>
