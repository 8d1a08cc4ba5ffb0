/** What each class of the stand-in does. */
import type { NodeRun } from '../graph/node-run.ts'
import { CONDITIONING } from './conditioning.ts'
import { IMAGES } from './images.ts'
import { LATENTS } from './latents.ts'
import { LOADERS } from './loaders.ts'
import { SAMPLERS } from './samplers.ts'

/** By class; the same as in classes.json. */
export const NODE_RUNS: Readonly<Record<string, NodeRun>> = {
  ...LOADERS,
  ...CONDITIONING,
  ...LATENTS,
  ...SAMPLERS,
  ...IMAGES,
}
