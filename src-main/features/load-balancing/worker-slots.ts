import type { Clock } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { wait } from '../../lib/wait.ts'
import type { WorkerAddress } from '../../runtimes/port.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'

export type Seat = {
  readonly worker: LiveWorker
  readonly address: WorkerAddress
  readonly becomeSocket: () => void
  readonly leave: (hasResponded: boolean) => void
}

export type WorkerSeats = ReturnType<typeof createWorkerSeats>

type Taken = { socket: boolean; readonly letGo: () => void }

export function createWorkerSeats({
  clock,
  registry,
  onLeave,
}: {
  readonly clock: Clock
  readonly registry: Pick<WorkerRegistry, 'move' | 'note'>
  readonly onLeave: (worker: LiveWorker) => void
}) {
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
    take(worker: LiveWorker): Seat | undefined {
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
    drain(worker: LiveWorker, graceMs: number) {
      if (closed || !seats.has(worker.id)) return
      const cancel = clock.after(graceMs, () => {
        for (const { socket, letGo } of takenOf(worker)) if (socket) letGo()
      })
      graceTimes.set(worker.id, cancel)
    },
    async whenIdle(worker: LiveWorker, graceMs: number) {
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
