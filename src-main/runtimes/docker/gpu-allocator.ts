/**
 * Assigns GPUs to workers. The list is read lazily, again after 30 s, and every 30 s while somebody waits. Only `take`,
 * `adopt` and `release` change assignments, synchronously.
 */

import type { Clock, Log } from '../../lib/clock.ts'
import { allocateGpus, type GpuAllocation, type GpuHold, type GpuNeed, gpuSlots } from '../rules/gpu-allocation.ts'
import type { Gpu, GpuInventory } from '../rules/gpu-list.ts'

export type GpuAllocator = ReturnType<typeof createGpuAllocator>

// Age of a valid reading, and pause between two, ms; source: ours, each wakes sleeping laptop GPUs.
const FRESH_MS = 30_000

const LOOKING = 'looking for GPUs'

export function createGpuAllocator(options: {
  readonly readInventory: () => Promise<GpuInventory>
  readonly clock: Pick<Clock, 'steady' | 'after'>
  readonly log: Log
  readonly onChange: () => void
}) {
  const { readInventory, clock, log, onChange } = options
  let inventory: GpuInventory | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  let cancelNext: (() => void) | undefined
  let holds: readonly GpuHold[] = []
  let closed = false

  async function read(): Promise<void> {
    const before = inventory
    inventory = await readInventory()
    readAt = clock.steady()
    if (isSame(before, inventory)) return
    log.info('GPUs read', { cards: inventory.cards.length, fault: inventory.fault })
    notify()
  }

  function notify(): void {
    if (!closed) onChange()
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  function refreshInBackground(): void {
    refresh().catch((error: Error) => log.error('GPUs could not be read', { error: error.message }))
  }

  function readAgainLater(): void {
    if (closed || cancelNext !== undefined) return
    cancelNext = clock.after(FRESH_MS, () => {
      cancelNext = undefined
      refresh().then(notify, (error: Error) => log.error('GPUs could not be read', { error: error.message }))
    })
  }

  return {
    /** How many more workers find GPUs, and why not more; infinite without a need. */
    slots(need: GpuNeed): ReturnType<typeof gpuSlots> {
      if (need.gpu === undefined) return gpuSlots(need, { cards: [] }, holds)
      if (clock.steady() - readAt >= FRESH_MS) refreshInBackground()
      if (inventory === undefined) return { free: 0, reason: LOOKING }
      const slots = gpuSlots(need, inventory, holds)
      if (slots.free === 0 && inventory.fault !== undefined) readAgainLater()
      return slots
    },
    /**
     * Returns the worker's existing GPUs, if any.
     * @returns ids, none if not needed
     * @throws Error with a reason for the user
     */
    take(workerId: string, endpointId: string, need: GpuNeed): readonly string[] {
      const own = holds.filter((hold) => hold.workerId === workerId).map(({ gpuId }) => gpuId)
      if (own.length > 0 || need.gpu === undefined) return own
      if (inventory === undefined) {
        refreshInBackground()
        throw new Error(LOOKING)
      }
      const allocation = allocateGpus(need, inventory, holds)
      if ('reason' in allocation) throw new Error(allocation.reason)
      holds = [...holds, ...allocation.ids.map((gpuId) => ({ gpuId, workerId, endpointId, shared: need.gpuShared }))]
      return allocation.ids
    },
    /** Reads GPUs, and tells what a worker would get if none were taken. */
    async offer(need: GpuNeed): Promise<GpuAllocation> {
      await refresh()
      return allocateGpus(need, inventory ?? { cards: [] }, [])
    },
    adopt(workerId: string, endpointId: string, ids: readonly string[], shared: boolean) {
      const others = holds.filter((hold) => hold.workerId !== workerId)
      holds = [...others, ...ids.map((gpuId) => ({ gpuId, workerId, endpointId, shared }))]
    },
    release(workerId: string) {
      const others = holds.filter((hold) => hold.workerId !== workerId)
      if (others.length === holds.length) return
      holds = others
      notify()
    },
    refresh,
    cards: (): readonly Gpu[] => inventory?.cards ?? [],
    inventory: (): GpuInventory | undefined => inventory,
    holds: (): readonly GpuHold[] => holds,
    close() {
      closed = true
      cancelNext?.()
    },
  }
}

function isSame(a: GpuInventory | undefined, b: GpuInventory): boolean {
  const offer = ({ cards, fault }: GpuInventory) => JSON.stringify([fault, ...cards.map(({ id, mig }) => [id, mig])])
  return a !== undefined && offer(a) === offer(b)
}
