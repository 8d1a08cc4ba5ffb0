/** What a class of nodes does. */

import type { Raster, Value } from '../values.ts'
import type { Inputs } from './inputs.ts'

/** What a node may use beside its inputs. */
export type Surroundings = {
  readonly signal: AbortSignal
  /** How far the node is. @param preview makes a data URI of what there is so far; asked only when it is shown */
  readonly onStep: (step: number, steps: number, preview?: () => string) => void
  /** The file of that name that came with the job. */
  readonly file: (name: string) => Uint8Array | undefined
  /** Gives a picture out. @param prefix beginning of its file name @param isPreview it is only to be looked at */
  readonly show: (raster: Raster, prefix: string, isPreview: boolean) => Promise<void>
  /** Says something about the result, once. */
  readonly note: (text: string) => unknown
}

/** Runs a node. @returns the values of its outputs */
export type NodeRun = (inputs: Inputs, surroundings: Surroundings) => readonly Value[] | Promise<readonly Value[]>
