/**
 * Shells in the containers of workers. A shell is open until its program exits, its worker ends, somebody closes it, nobody
 * has read it for a minute, or the service stops. What it writes is kept for readers up to a bound, and a program that
 * writes faster than it is read waits, as in any terminal. An ended one stays for a minute, so that its reader learns why.
 * Nothing that goes through a shell is logged.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ShellSize } from '../../contract/shell.ts'
import { isLive } from '../../domain/worker/transitions.ts'
import type { Clock, Fleet, Log, NewId } from '../ports.ts'
import { openShell, type Shell } from './open-shell.ts'
import type { LiveWorker, WorkerRegistry } from './worker-registry.ts'

/** The shells that are open. */
export type Shells = {
  /** @throws AppError SHELL_REFUSED, TOO_MANY_SHELLS, STOPPING */
  readonly open: (worker: LiveWorker, size: ShellSize) => Promise<Shell>
  /** undefined: there is none, or it ended more than a minute ago. */
  readonly get: (shellId: string) => Shell | undefined
  /** Ends all; none is opened any more. */
  readonly stop: () => Promise<void>
}

/** What shells need. */
export type ShellsDeps = {
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly fleet: Pick<Fleet, 'openShell'>
  readonly registry: Pick<WorkerRegistry, 'onMove'>
}

/** Makes the shells; none is open yet. */
export function createShells({ clock, newId, log, fleet, registry }: ShellsDeps): Shells {
  const shells = new Map<string, Shell>()
  let opening = 0
  let stopping = false
  const openNow = () => [...shells.values()].filter((shell) => !shell.hasEnded()).length + opening

  registry.onMove((worker) => {
    if (worker.state !== 'ended') return
    for (const shell of shells.values()) if (shell.workerId === worker.id) void shell.close(whyEnded(worker))
  })

  return {
    async open(worker, size) {
      if (stopping) throw new AppError('STOPPING')
      if (openNow() >= limit('shells')) throw new AppError('TOO_MANY_SHELLS', { count: limit('shells') })
      opening += 1
      const id = newId.uuid()
      const { id: workerId } = worker
      try {
        const shell = await openShell({
          clock,
          fleet,
          id,
          workerId,
          size,
          // The shell of a worker that is told to leave ends a moment before it.
          explain: (why) => (isLive(worker.state) ? why : whyEnded(worker)),
          onEnd: (why) => log.info('shell ended', { shellId: id, workerId, why }),
          onForgotten: () => void shells.delete(id),
        })
        shells.set(id, shell)
        log.info('shell opened', { shellId: id, workerId })
        // Whatever ended all shells in the meantime did not know this one.
        const late = stopping ? 'the service stops' : worker.state === 'ended' ? whyEnded(worker) : undefined
        if (late === undefined) return shell
        await shell.close(late)
        throw new Error(late)
      } catch (cause) {
        throw new AppError('SHELL_REFUSED', { workerId, why: (cause as Error).message }, { cause })
      } finally {
        opening -= 1
      }
    },
    get: (shellId) => shells.get(shellId),
    async stop() {
      stopping = true
      await Promise.all([...shells.values()].map((shell) => shell.close('the service stops')))
    },
  }
}

function whyEnded({ reason }: LiveWorker): string {
  return `the worker has ended${reason === undefined ? '' : `: ${reason}`}`
}
