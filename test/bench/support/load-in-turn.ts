import { inTurn, type Rounds } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { median, percentile } from '../statistics.ts'
import type { Sides, Target } from './beside-floor.ts'
import { startProgram } from './programs.ts'

/** Sends the same load to both sides in turn, from one process that is neither. */
export async function loadInTurn(
  rounds: number,
  { ours, bare }: Sides,
  load: Omit<LoadOrder, keyof Target>,
): Promise<Rounds<LoadResult>> {
  const program = await startProgram('load')
  try {
    const send = (target: Target) => program.ask<LoadResult>({ ...load, ...target } satisfies LoadOrder)
    return await inTurn(
      rounds,
      () => send(ours),
      () => send(bare),
    )
  } finally {
    await program.stop()
  }
}

/** Answers a second. */
export const perSecond = (side: readonly LoadResult[]): number => median(side.map((result) => result.perSecond))

/** The middle of the rounds' medians, ms. */
export const p50 = (side: readonly LoadResult[]): number => median(side.map(({ samples }) => median(samples)))

/** Of all rounds, ms. */
export const p99 = (side: readonly LoadResult[]): number =>
  percentile(
    side.flatMap(({ samples }) => samples),
    0.99,
  )

/** The most that the load's own process used of a core, in percent. */
export const busiestPercent = ({ ours, other }: Rounds<LoadResult>): number =>
  100 * Math.max(...[...ours, ...other].map((result) => result.busy))
