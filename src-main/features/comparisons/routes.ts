import { limit } from '../../contract/limits.ts'
import { requireRoleOf } from '../../http/guards.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import { selectionOf } from '../jobs/list-jobs.ts'
import type { ServiceBase } from '../service-context.ts'
import type { Comparisons } from './comparisons.ts'

export const COMPARISON_OPERATIONS = {
  comparisonList: (_request, { comparisons }) => ({ comparisons: comparisons.list() }),
  async comparisonCreate({ body, caller }, service) {
    // A copy of an endpoint with another image is a new endpoint.
    if (body.versions.some(({ image }) => image !== undefined)) requireRoleOf(caller, 'deploy')
    const { ids, filter, ...wanted } = body
    const selection = ids !== undefined ? { ids } : filter && (await selectionOf(service.storage, filter))
    return await service.comparisons.add({ ...wanted, selection })
  },
  comparisonRead: ({ path }, { comparisons }) => comparisons.read(path.comparisonId),
  comparisonRows({ path, query }, { comparisons }) {
    const most = query.limit ?? limit('listPage')
    const page = { version: query.version, limit: most + 1, offset: query.offset ?? 0 }
    const rows = comparisons.rows(path.comparisonId, page)
    return { rows: rows.slice(0, most), more: rows.length > most }
  },
  comparisonStop: async ({ path }, { comparisons }) => await comparisons.stop(path.comparisonId),
  async comparisonDelete({ path }, { comparisons }) {
    await comparisons.remove(path.comparisonId)
    return DONE
  },
} as const satisfies Partial<ManagementOperations<ServiceBase & { readonly comparisons: Comparisons }>>
