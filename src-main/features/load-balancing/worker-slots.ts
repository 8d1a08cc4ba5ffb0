import type { Clock } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { wait } from '../../lib/wait.ts'
import type { WorkerAddress } from '../../runtimes/port.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import { takesJobs } from '../workers/rules/transitions.ts'
import { handOver } from './rules/choose-worker.ts'

export type Slot = {
  readonly worker: LiveWorker
  readonly address: WorkerAddress
  readonly becomeSocket: () => void
  readonly leave: (hasResponded: boolean) => void
}

type Taken = { socket: boolean; readonly isAsked: boolean; readonly letGo: () => void }

export function createWorkerSlots({
  clock,
  registry,
  onLeave,
}: {
  readonly clock: Clock
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint' | 'move' | 'note'>
  readonly onLeave: (worker: LiveWorker) => void
}) {
  const slots = new Map<string, Set<Taken>>()
  const changes = createEmitter()
  const graceTimes = new Map<string, () => void>()
  let closed = false

  const takenOf = (worker: LiveWorker) => [...(slots.get(worker.id) ?? [])]
  const unanswered = (worker: LiveWorker) => takenOf(worker).some(({ socket }) => !socket)

  function stopGraceTime(workerId: string): void {
    graceTimes.get(workerId)?.()
    graceTimes.delete(workerId)
  }

  function free(worker: LiveWorker, slot: Taken, hasResponded: boolean): void {
    const taken = slots.get(worker.id)
    if (taken?.delete(slot) !== true) return
    if (taken.size === 0) {
      slots.delete(worker.id)
      stopGraceTime(worker.id)
    }
    const jobsDone = worker.jobsDone + (hasResponded ? 1 : 0)
    const now = clock.steady()
    const use = slot.isAsked ? { askedAt: now } : { neededAt: now }
    registry.note(worker, { openRequests: worker.openRequests - 1, jobsDone, ...use })
    if (worker.openRequests === 0) registry.move(worker, 'becomeIdle', { neededAt: worker.neededAt })
    onLeave(worker)
    changes.emit()
  }

  function handOverNeed(worker: LiveWorker): void {
    const others = registry.ofEndpoint(worker.endpointId).filter((other) => other !== worker && takesJobs(other))
    const idle = others.filter(({ state }) => state === 'idle')
    const change = handOver(worker, idle)
    if (change !== undefined) registry.note(change.to, { neededAt: change.neededAt })
  }

  return {
    take(worker: LiveWorker, isAsked: boolean): Slot | undefined {
      const address = worker.started?.address
      if (address === undefined) return undefined
      if (worker.state === 'idle' && !isAsked) handOverNeed(worker)
      const slot: Taken = { socket: false, isAsked, letGo: () => free(worker, slot, false) }
      slots.set(worker.id, (slots.get(worker.id) ?? new Set()).add(slot))
      registry.note(worker, { openRequests: worker.openRequests + 1 })
      registry.move(worker, 'takeJob')
      return {
        worker,
        address,
        becomeSocket() {
          slot.socket = true
          changes.emit()
        },
        leave: (hasResponded) => free(worker, slot, hasResponded),
      }
    },
    drain(worker: LiveWorker, graceMs: number) {
      if (closed || !slots.has(worker.id)) return
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
