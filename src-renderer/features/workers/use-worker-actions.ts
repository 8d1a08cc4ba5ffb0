import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { useApp } from '../../store/app-context.ts'
import { useTell } from '../../ui/use-tell.ts'

const REPLACED = {
  'new first': 'A new worker starts. The old one stops when the new one is ready and its own jobs have ended.',
  'old first': 'There is no room for another worker: this one stops when its jobs have ended, then a new one starts.',
} as const

type Named = Pick<LiveEndpoint, 'id' | 'name'>

/** Worker actions show their effect at once, report the result, and roll back on refusal. */
export function useWorkerActions() {
  const { client, store } = useApp()
  const { attempt } = useTell()
  const { showWorker, patchEndpoint } = store.getState()
  return {
    stop(worker: WorkerView) {
      const { id } = worker
      showWorker({ ...worker, state: 'stopping', reason: 'stopped by a person' })
      const stop = () => client.call('workerStop', { path: { workerId: id } })
      return attempt(stop, `Worker ${id} is stopping.`, () => showWorker(worker))
    },
    replace(worker: WorkerView) {
      showWorker({ ...worker, replacement: 'is being replaced' })
      const replace = () => client.call('workerReplace', { path: { workerId: worker.id } })
      return attempt(
        replace,
        ({ order }) => REPLACED[order],
        () => showWorker(worker),
      )
    },
    replaceAll: ({ id, name }: Named) =>
      attempt(
        () => client.call('endpointReplaceWorkers', { path: { endpointId: id } }),
        ({ workers: { length } }) =>
          `${counted(length, 'worker')} of ${name} ${length === 1 ? 'is' : 'are'} being replaced, one by one.`,
      ),
    resume({ id, name }: Named) {
      patchEndpoint(id, { paused: false })
      const resume = () => client.call('endpointResume', { path: { endpointId: id } })
      return attempt(resume, `${name} takes jobs again.`, () => patchEndpoint(id, { paused: true }))
    },
  }
}
