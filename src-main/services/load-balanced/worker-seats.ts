import { createEmitter } from '../../domain/emitter.ts'
import type { WorkerAddress } from '../ports/fleet.ts'
import type { Clock } from '../ports/system.ts'
import { wait } from '../wait.ts'
import type { LiveWorker, WorkerRegistry } from '../worker-registry.ts'

/** A request at its worker. */
export type Seat = {
  readonly worker: LiveWorker
  readonly address: WorkerAddress
  /** The request is a socket now, which ends when somebody ends it. */
  readonly becomeSocket: () => void
  /** The request has ended. Safe to call twice. @param hasResponded whether it counts as done by the worker */
  readonly leave: (hasResponded: boolean) => void
}

/** The requests that are open at workers. */
export type WorkerSeats = {
  /** A seat at this worker; undefined where it has no address. */
  readonly take: (worker: LiveWorker) => Seat | undefined
  /** The worker leaves: its sockets no longer hold it up when the grace time is over. */
  readonly drain: (worker: LiveWorker, graceMs: number) => void
  /** Settles when all requests of the worker but its sockets have ended, or the time is over. */
  readonly whenIdle: (worker: LiveWorker, graceMs: number) => Promise<void>
  /** Ends all grace times; no further one begins. */
  readonly close: () => void
}

type Taken = { socket: boolean; readonly letGo: () => void }

/** Makes the seats. `onLeave` is called when a request has ended. */
export function createWorkerSeats({
  clock,
  registry,
  onLeave,
}: {
  readonly clock: Clock
  readonly registry: Pick<WorkerRegistry, 'move' | 'note'>
  readonly onLeave: (worker: LiveWorker) => void
}): WorkerSeats {
  const seats = new Map<string, Set<Taken>>()
  const changes = createEmitter()
  const graceTimes = new Map<string, () => void>()
  let closed = false

  const takenOf = (worker: LiveWorker) => [...(seats.get(worker.id) ?? [])]
  const unanswered = (worker: LiveWorker) => takenOf(worker).some(({ socket }) => !socket)

  function stopGraceTime(workerId: string): void {
    graceTimes.get(workerId)?.()
    graceTimes.delete(workerId)
  }

  function free(worker: LiveWorker, seat: Taken, hasResponded: boolean): void {
    const taken = seats.get(worker.id)
    if (taken?.delete(seat) !== true) return
    if (taken.size === 0) {
      seats.delete(worker.id)
      stopGraceTime(worker.id)
    }
    const jobsDone = worker.jobsDone + (hasResponded ? 1 : 0)
    registry.note(worker, { openRequests: worker.openRequests - 1, jobsDone })
    if (worker.openRequests === 0) registry.move(worker, 'becomeIdle')
    onLeave(worker)
    changes.emit()
  }

  return {
    take(worker) {
      const address = worker.started?.address
      if (address === undefined) return undefined
      const seat: Taken = { socket: false, letGo: () => free(worker, seat, false) }
      seats.set(worker.id, (seats.get(worker.id) ?? new Set()).add(seat))
      registry.note(worker, { openRequests: worker.openRequests + 1 })
      registry.move(worker, 'takeJob')
      return {
        worker,
        address,
        becomeSocket() {
          seat.socket = true
          changes.emit()
        },
        leave: (hasResponded) => free(worker, seat, hasResponded),
      }
    },
    drain(worker, graceMs) {
      if (closed || !seats.has(worker.id)) return
      const cancel = clock.after(graceMs, () => {
        for (const { socket, letGo } of takenOf(worker)) if (socket) letGo()
      })
      graceTimes.set(worker.id, cancel)
    },
    async whenIdle(worker, graceMs) {
      if (!unanswered(worker)) return
      await wait(clock, {
        ms: graceMs,
        signal: undefined,
        listen: (wake) =>
          changes.on(() => {
            if (!unanswered(worker)) wake()
          }),
      })
    },
    close() {
      closed = true
      for (const workerId of [...graceTimes.keys()]) stopGraceTime(workerId)
    },
  }
}
