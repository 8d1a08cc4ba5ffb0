import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { isLive } from '../../domain/worker/transitions.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import type { LiveWorker } from '../../services/workers/worker-registry.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

const ID_LENGTH = 50

/**
 * Finds the worker of the path.
 * @throws AppError WORKER_NOT_FOUND
 */
export function workerOf(c: Context, { registry }: ServiceContext): LiveWorker {
  const workerId = c.req.param('workerId') ?? ''
  const worker = registry.get(workerId)
  if (worker === undefined) throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, ID_LENGTH) })
  return worker
}

/** New workers in the place of old ones. */
export const WORKER_OPERATIONS = {
  workerReplace(c, service) {
    const worker = workerOf(c, service)
    if (!isLive(worker.state)) {
      const { id: workerId, reason: why = 'it was asked to' } = worker
      throw new AppError('WORKER_LEAVES', { workerId, why })
    }
    return c.json({ order: service.replacement.begin(worker) })
  },
  endpointReplaceWorkers: (c, service) =>
    c.json({ workers: [...service.replacement.beginAll(endpointOf(c, service).id)] }),
} as const satisfies Record<string, AppHandler>
