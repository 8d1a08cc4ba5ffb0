/**
 * Undoable bulk actions: a stored row and a timer. The next start carries out what was not undone, except interrupted
 * reruns, as their new jobs are unknown.
 */
import { AppError } from '../../contract/errors.ts'
import type { BulkAction } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import type { PendingBulkView } from '../../contract/pending-bulk.ts'
import type { Log } from '../../lib/clock.ts'
import type { NamedJobs, PendingBulk } from '../../storage/storage.ts'
import { type ChangeDeps, changeJobs } from './again/run-jobs-again.ts'

type Pending = PendingBulk<NamedJobs>

export type PendingBulkActions = ReturnType<typeof createPendingBulk>

export function createPendingBulk(deps: ChangeDeps & { readonly log: Log }) {
  const { storage, clock, newId, log } = deps
  const { pendingBulk } = storage
  const timers = new Map<string, () => void>()
  const running = new Set<Promise<void>>()
  let isStopped = false

  function find(id: string): Pending {
    const found = pendingBulk.get(id)
    if (found === undefined) throw new AppError('PENDING_ACTION_NOT_FOUND', { actionId: id.slice(0, 100) })
    return found
  }

  async function leaveWaiting(id: string, to: 'running' | 'undone'): Promise<Pending> {
    find(id)
    const hasLeft = await storage.write(() => pendingBulk.leaveWaiting({ id, to }))
    const pending = find(id)
    if (!hasLeft) throw new AppError('PENDING_ACTION_OVER', { state: pending.state })
    // Not earlier: if the write failed, it still waits.
    timers.get(id)?.()
    timers.delete(id)
    return pending
  }

  async function finish({ id, action, selection }: Pending): Promise<void> {
    const { changed, refused } = await changeJobs(deps, action, selection)
    await storage.write(() => pendingBulk.end(id, 'done', { changed, refused: [...refused] }))
  }

  const carryOut = async (id: string) => finish(await leaveWaiting(id, 'running'))

  function follow(id: string, work: Promise<void>): void {
    const all = work
      .catch((error) => log.error('bulk action not carried out', { actionId: id, error }))
      .finally(() => running.delete(all))
    running.add(all)
  }

  function goOn(pending: Pending): Promise<void> {
    const { id, action, state } = pending
    if (state === 'waiting') return carryOut(id)
    if (action !== 'rerun') return finish(pending)
    log.warn('running jobs again was interrupted', { actionId: id })
    return storage.write(() => pendingBulk.end(id, 'interrupted', undefined))
  }

  return {
    list: (): readonly PendingBulkView[] => pendingBulk.list().map(view),
    read: (id: string): PendingBulkView => view(find(id)),
    async add(action: BulkAction, selection: NamedJobs, delayMs: number): Promise<PendingBulkView> {
      const createdAt = clock.now()
      const pending = { id: newId.uuid(), action, selection, createdAt, dueAt: createdAt + delayMs }
      await storage.write(() => {
        if (pendingBulk.open().length >= limit('pendingBulkActions'))
          throw new AppError('TOO_MANY_PENDING_ACTIONS', { limit: limit('pendingBulkActions') })
        pendingBulk.insert(pending, limit('pendingBulkKept'))
      })
      const { id } = pending
      if (!isStopped)
        timers.set(
          id,
          clock.after(delayMs, () => follow(id, carryOut(id))),
        )
      return view(find(id))
    },
    async runNow(id: string): Promise<PendingBulkView> {
      await carryOut(id)
      return view(find(id))
    },
    async undo(id: string) {
      await leaveWaiting(id, 'undone')
    },
    start() {
      for (const pending of pendingBulk.open()) follow(pending.id, goOn(pending))
    },
    async stop() {
      isStopped = true
      for (const cancel of timers.values()) cancel()
      await Promise.all(running)
    },
  }
}

const view = ({ selection: _stored, ...pending }: Pending): PendingBulkView => pending
