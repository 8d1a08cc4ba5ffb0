import { useMemo } from 'react'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { useApp } from '../../store/app-context.ts'
import { counted } from '../../ui/format.ts'

/** What can be done with workers. Each shows its effect at once, tells how it went, and takes it back where it is refused. */
export type WorkerActions = {
  readonly stop: (worker: WorkerView) => Promise<void>
  readonly replace: (worker: WorkerView) => Promise<void>
  readonly replaceAll: (endpoint: Pick<LiveEndpoint, 'id' | 'name'>) => Promise<void>
  readonly resume: (endpoint: Pick<LiveEndpoint, 'id' | 'name'>) => Promise<void>
}

const REPLACED = {
  'new first': 'A new worker starts. The old one leaves when that is ready and its own jobs have ended.',
  'old first':
    'There is no place for one more worker: this one leaves when its jobs have ended, then a new one starts.',
} as const

/** The actions of workers. */
export function useWorkerActions(): WorkerActions {
  const { client, store } = useApp()
  return useMemo(() => {
    const { showWorker, patchEndpoint, tell } = store.getState()
    const refused = (error: unknown) => void tell({ kind: 'error', text: (error as Error).message })
    return {
      async stop(worker) {
        const { id } = worker
        showWorker({ ...worker, state: 'stopping', reason: 'stopped by a person' })
        try {
          await client.call('workerStop', { path: { workerId: id } })
          tell({ kind: 'done', text: `Worker ${id} stops.` })
        } catch (error) {
          showWorker(worker)
          refused(error)
        }
      },
      async replace(worker) {
        const { id } = worker
        showWorker({ ...worker, replacement: 'is being replaced' })
        try {
          const { order } = await client.call('workerReplace', { path: { workerId: id } })
          tell({ kind: 'done', text: REPLACED[order] })
        } catch (error) {
          showWorker(worker)
          refused(error)
        }
      },
      async replaceAll({ id, name }) {
        try {
          const { workers } = await client.call('endpointReplaceWorkers', { path: { endpointId: id } })
          const count = counted(workers.length, 'worker')
          tell({
            kind: 'done',
            text: `${count} of ${name} ${workers.length === 1 ? 'is' : 'are'} replaced, one by one.`,
          })
        } catch (error) {
          refused(error)
        }
      },
      async resume({ id, name }) {
        patchEndpoint(id, { paused: false })
        try {
          await client.call('endpointResume', { path: { endpointId: id } })
          tell({ kind: 'done', text: `${name} takes jobs again.` })
        } catch (error) {
          patchEndpoint(id, { paused: true })
          refused(error)
        }
      },
    }
  }, [client, store])
}
