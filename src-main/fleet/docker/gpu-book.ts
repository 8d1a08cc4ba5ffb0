/**
 * Who has which card. The cards are read when the first worker asks for one, and again when an answer is asked for and
 * the last reading is older than 30 s; while somebody waits for cards that are not there, every 30 s, as a driver may
 * come. Only `take`, `adopt` and `release` change who has what, at once, so two workers never get the same card.
 */
import {
  allocateGpus,
  type GpuAllocation,
  type GpuHold,
  type GpuNeed,
  gpuSlots,
} from '../../domain/worker/gpu-allocation.ts'
import type { GpuCard, GpuInventory } from '../../domain/worker/gpu-list.ts'
import type { Clock, Log } from '../../services/ports/system.ts'

/** What the book needs. */
export type GpuBookOptions = {
  readonly readInventory: () => Promise<GpuInventory>
  readonly clock: Pick<Clock, 'steady' | 'after'>
  readonly log: Log
  /** Called when `places` may respond otherwise than before. */
  readonly onChange: () => void
}

/** Who holds which card of the engine. */
export type GpuBook = {
  /** How many more workers find cards, and why not more. At once; free is infinite for what needs no card. */
  readonly slots: (need: GpuNeed) => ReturnType<typeof gpuSlots>
  /**
   * Gives cards to a worker; the same ones again where it has some.
   * @returns ids of the cards, none for what needs none
   * @throws Error with the reason, for a person
   */
  readonly take: (workerId: string, endpointId: string, need: GpuNeed) => readonly string[]
  /** Reads the cards, and says which ones a worker would get if nobody had any, or why none. */
  readonly offer: (need: GpuNeed) => Promise<GpuAllocation>
  /** Notes the cards of a worker of an earlier run, whatever is known of the cards. */
  readonly adopt: (workerId: string, endpointId: string, ids: readonly string[], shared: boolean) => void
  /** Gives the cards of a worker back. Safe to call twice. */
  readonly release: (workerId: string) => void
  /** Reads the cards; resolves when they are known. One reading at a time. */
  readonly refresh: () => Promise<void>
  /** The cards as last read; none before the first need. */
  readonly cards: () => readonly GpuCard[]
  /** All that was last read; undefined before the first need. */
  readonly inventory: () => GpuInventory | undefined
  readonly holds: () => readonly GpuHold[]
  readonly close: () => void
}

// Oldest reading that is answered from without another one, and the pause between two, ms; source: ours, a card that is
// asleep in a laptop is woken by each.
const FRESH_MS = 30_000

const LOOKING = 'looking for GPUs'

/** Makes the book; nothing is read yet. */
export function createGpuBook({ readInventory, clock, log, onChange }: GpuBookOptions): GpuBook {
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
    log.info('graphics cards read', { cards: inventory.cards.length, fault: inventory.fault })
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
    refresh().catch((error: Error) => log.error('graphics cards could not be read', { error: error.message }))
  }

  /** For whoever waits: after the reading it is notified to ask again, even if nothing changed, so that it goes on. */
  function readAgainLater(): void {
    if (closed || cancelNext !== undefined) return
    cancelNext = clock.after(FRESH_MS, () => {
      cancelNext = undefined
      refresh().then(notify, (error: Error) => log.error('graphics cards could not be read', { error: error.message }))
    })
  }

  return {
    slots(need) {
      if (need.gpu === undefined) return gpuSlots(need, { cards: [] }, holds)
      if (clock.steady() - readAt >= FRESH_MS) refreshInBackground()
      if (inventory === undefined) return { free: 0, reason: LOOKING }
      const slots = gpuSlots(need, inventory, holds)
      if (slots.free === 0 && inventory.fault !== undefined) readAgainLater()
      return slots
    },
    take(workerId, endpointId, need) {
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
    async offer(need) {
      await refresh()
      return allocateGpus(need, inventory ?? { cards: [] }, [])
    },
    adopt(workerId, endpointId, ids, shared) {
      const others = holds.filter((hold) => hold.workerId !== workerId)
      holds = [...others, ...ids.map((gpuId) => ({ gpuId, workerId, endpointId, shared }))]
    },
    release(workerId) {
      const others = holds.filter((hold) => hold.workerId !== workerId)
      if (others.length === holds.length) return
      holds = others
      notify()
    },
    refresh,
    cards: () => inventory?.cards ?? [],
    inventory: () => inventory,
    holds: () => holds,
    close() {
      closed = true
      cancelNext?.()
    },
  }
}

/** Whether both offer the same: what the cards are doing is no change. */
function isSame(a: GpuInventory | undefined, b: GpuInventory): boolean {
  const offer = ({ cards, fault }: GpuInventory) => JSON.stringify([fault, ...cards.map(({ id, mig }) => [id, mig])])
  return a !== undefined && offer(a) === offer(b)
}
