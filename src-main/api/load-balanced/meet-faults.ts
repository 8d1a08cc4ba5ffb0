/** What the fault switches of an endpoint do to requests; each request, and each try of one, has an id of its own. */
import { AppError } from '../../contract/errors.ts'
import { isHit } from '../../domain/worker/faults.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import { wait } from '../../services/wait.ts'
import { strikeWorker } from '../../services/workers/strike-worker.ts'
import type { Exchange } from './exchange.ts'

/** Holds a request back, and fails it, as the switches say. @throws AppError FAULT_SWITCH */
export async function meetFaults({ endpoint, service, gone, notes }: Exchange): Promise<void> {
  const { faults = {} } = endpoint.config
  const { clock, newId } = service
  if (faults.delayMs !== undefined) {
    const since = clock.steady()
    await wait(clock, { ms: faults.delayMs, signal: gone.signal, listen: () => () => undefined })
    notes.waitedMs += clock.steady() - since
  }
  if (isHit(faults, 'failPercent', newId.worker())) throw new AppError('FAULT_SWITCH', { endpointId: endpoint.id })
}

/** Kills the worker that is about to get the request, where a switch says so. @returns why; undefined: it lives */
export async function killByFault({ endpoint, service }: Exchange, { worker }: Seat): Promise<string | undefined> {
  const { faults = {} } = endpoint.config
  await strikeWorker(service, worker, faults, service.newId.worker())
  return worker.killedBy
}
