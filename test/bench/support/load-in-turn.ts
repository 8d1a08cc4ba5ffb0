import { inTurn, type Rounds } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { median } from '../statistics.ts'
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

/** The most that the load's own process used of a core, in percent. */
export const busiestPercent = ({ ours, other }: Rounds<LoadResult>): number =>
  100 * Math.max(...[...ours, ...other].map((result) => result.busy))
