import { useMemo } from 'react'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { useApp } from '../../store/app-context.ts'

/** Worker actions show their effect at once, report the result, and roll back on refusal. */
export type WorkerActions = {
  readonly stop: (worker: WorkerView) => Promise<void>
  readonly replace: (worker: WorkerView) => Promise<void>
  readonly replaceAll: (endpoint: Pick<LiveEndpoint, 'id' | 'name'>) => Promise<void>
  readonly resume: (endpoint: Pick<LiveEndpoint, 'id' | 'name'>) => Promise<void>
}

const REPLACED = {
  'new first': 'A new worker starts. The old one stops when the new one is ready and its own jobs have ended.',
  'old first': 'There is no room for another worker: this one stops when its jobs have ended, then a new one starts.',
} as const

export function useWorkerActions(): WorkerActions {
  const { client, store } = useApp()
  return useMemo(() => {
    const { showWorker, patchEndpoint, notify } = store.getState()
    const refused = (error: unknown) => void notify({ kind: 'error', text: (error as Error).message })
    return {
      async stop(worker) {
        const { id } = worker
        showWorker({ ...worker, state: 'stopping', reason: 'stopped by a person' })
        try {
          await client.call('workerStop', { path: { workerId: id } })
          notify({ kind: 'done', text: `Worker ${id} is stopping.` })
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
          notify({ kind: 'done', text: REPLACED[order] })
        } catch (error) {
          showWorker(worker)
          refused(error)
        }
      },
      async replaceAll({ id, name }) {
        try {
          const { workers } = await client.call('endpointReplaceWorkers', { path: { endpointId: id } })
          const count = counted(workers.length, 'worker')
          notify({
            kind: 'done',
            text: `${count} of ${name} ${workers.length === 1 ? 'is' : 'are'} being replaced, one by one.`,
          })
        } catch (error) {
          refused(error)
        }
      },
      async resume({ id, name }) {
        patchEndpoint(id, { paused: false })
        try {
          await client.call('endpointResume', { path: { endpointId: id } })
          notify({ kind: 'done', text: `${name} takes jobs again.` })
        } catch (error) {
          patchEndpoint(id, { paused: true })
          refused(error)
        }
      },
    }
  }, [client, store])
}
