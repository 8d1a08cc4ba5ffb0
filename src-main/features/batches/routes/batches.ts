import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { DONE, fileResponse, type ManagementOperations } from '../../../http/operation.ts'
import { requireQueue, type SubmitDeps } from '../../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import { importLines, queueLine } from '../../jobs/routes/job-lines.ts'
import type { ServiceBase } from '../../service-context.ts'
import {
  cancelBatch,
  createBatch,
  deleteBatch,
  exportBatch,
  listBatches,
  readBatch,
  requireBatch,
  retryBatch,
  takesLine,
  viewBatch,
} from '../batches.ts'

export const BATCH_OPERATIONS = {
  batchList: ({ query }, service) => ({ batches: [...listBatches(service, query.endpoint)] }),
  async batchCreate({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    return await createBatch(service, endpoint, body)
  },
  async batchAppend({ c, path, query }, service) {
    const { storage } = service
    const batch = requireBatch(storage, path.batchId)
    const endpoint = endpointOf(batch, service)
    requireQueue(endpoint, service)
    let room = viewBatch(storage, batch).unsent
    const result = await importLines(c, {
      first: query.from,
      most: limit('batchPieceLines'),
      async queue(line, bytes) {
        if (!takesLine(storage, batch, line)) return false
        room -= 1
        if (room < 0)
          throw new AppError('BATCH_CLOSED', { batchId: batch.id, why: `has all of its ${batch.total} inputs` })
        await queueLine(service, endpoint, bytes, { batch: batch.seq, line })
        return true
      },
      refuse: (line, reason) => storage.write(() => storage.batches.refuse(batch.seq, line, reason)),
      took: (line) => storage.write(() => storage.batches.receive({ batch: batch.seq, line })),
    })
    return { ...result, received: requireBatch(storage, batch.id).received }
  },
  batchRead: ({ path }, service) => readBatch(service, path.batchId),
  batchRetry: async ({ path }, service) => await retryBatch(service, path.batchId),
  batchCancel: async ({ path }, service) => await cancelBatch(service, path.batchId),
  async batchDelete({ path }, service) {
    await deleteBatch(service, path.batchId)
    return DONE
  },
  batchExport: ({ path, query }, service) =>
    fileResponse(exportBatch(service, requireBatch(service.storage, path.batchId), query.from), {
      name: 'batch.jsonl',
      type: 'application/x-ndjson',
    }),
} as const satisfies Partial<ManagementOperations<SubmitDeps & ServiceBase>>
