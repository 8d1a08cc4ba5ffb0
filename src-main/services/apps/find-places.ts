/**
 * Places for the workers that a release stages. Where all are taken, workers of the same endpoint give way first. A card is
 * held by one worker alone, so endpoints that want cards are started one after the other where these are scarce: one that
 * has shown that it works lets its card go again, and its endpoint starts a worker when it is wanted.
 */
import type { Endpoint, Fleet } from '../ports.ts'
import type { StagedWorker } from '../workers/stage-worker.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'

/** What finding places needs. */
export type PlaceDeps = {
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'giveWay'>
}

/** An endpoint as it will be, and as it is now where it is there. */
type Staged = { readonly endpoint: Endpoint; readonly before?: Endpoint | undefined }

/** Hears what is waited for, or that the worker was thrown away for another one; nothing: there is nothing to say. */
type Tell = (note?: string) => void

/** The workers that a release stages. */
export type StagedWorkers = {
  /**
   * Stages one of an endpoint as soon as it has a place, or nobody of this release can make one; settles when it is ready.
   * @throws Error as the supervisor's `stage` does
   */
  readonly stage: (staged: Staged, tell: Tell) => Promise<void>
  /** Those that are ready, by the endpoint as it will be. */
  readonly ready: () => ReadonlyMap<Endpoint, StagedWorker>
  /** Endpoints that gave way start workers again. */
  readonly end: () => void
}

/** Makes the workers of one release. @param signal gives them up */
export function createStagedWorkers({ fleet, supervisor }: PlaceDeps, signal: AbortSignal): StagedWorkers {
  const ready = new Map<Endpoint, StagedWorker>()
  const tellers = new Map<Endpoint, Tell>()
  // Those with cards: what they take is not counted before they run.
  const starting = new Set<Promise<unknown>>()
  const goOn: (() => void)[] = []
  let turn: Promise<unknown> = Promise.resolve()

  const isFull = ({ config }: Endpoint) => fleet.capacity(config).free <= (wantsCard(config) ? starting.size : 0)

  async function giveWay({ endpoint, before }: Staged, tell: Tell): Promise<void> {
    if (before === undefined || !isFull(endpoint)) return
    tell('waits for the last jobs of a worker, whose place it takes')
    goOn.push(await supervisor.giveWay(before.id, () => !isFull(endpoint), signal))
    tell()
  }

  /** Makes a card free, where workers of this release hold all that are. */
  async function findCard(staged: Staged, tell: Tell): Promise<void> {
    while (isFull(staged.endpoint) && starting.size > 0 && !signal.aborted) {
      tell('waits for a card, on which another endpoint of this release starts')
      await Promise.race(starting)
    }
    tell()
    await giveWay(staged, tell)
    for (const [endpoint, worker] of ready) {
      if (!isFull(staged.endpoint) || signal.aborted) return
      if (!wantsCard(endpoint.config)) continue
      ready.delete(endpoint)
      tellers.get(endpoint)?.('it works; another endpoint of this release has its card now')
      await worker.discard('another endpoint of its release needs its card')
    }
  }

  async function start({ endpoint }: Staged): Promise<void> {
    ready.set(endpoint, await supervisor.stage(endpoint, signal))
  }

  // From the look at the places to the start nothing is waited for: nobody else takes the card meanwhile.
  async function startWithCard(staged: Staged, tell: Tell) {
    await findCard(staged, tell)
    const started = start(staged)
    const settled: Promise<unknown> = started.catch(() => undefined).then(() => starting.delete(settled))
    starting.add(settled)
    return { started }
  }

  return {
    async stage(staged, tell) {
      signal.throwIfAborted()
      tellers.set(staged.endpoint, tell)
      if (!wantsCard(staged.endpoint.config)) {
        await giveWay(staged, tell)
        return start(staged)
      }
      const begun = turn.then(() => startWithCard(staged, tell))
      turn = begun.catch(() => undefined)
      return (await begun).started
    },
    ready: () => ready,
    end() {
      for (const each of goOn) each()
    },
  }
}

function wantsCard({ container }: Endpoint['config']): boolean {
  return container?.gpu !== undefined
}
