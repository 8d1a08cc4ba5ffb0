/**
 * The rule of one model: a worker has the models that are in it, and a graph that loads another fails on it after it has
 * waited. Source: service-spec 2.5; image-workflows, Image workers.
 */

import type { ModelPlace } from '../../contract/models.ts'
import { directoryOfInput, isModelHere, MODEL_FILE } from '../models/layout.ts'
import type { PayloadNode } from '../workflow/payload.ts'

/** A node as far as the rule looks at it. */
export type LoadingNode = Pick<PayloadNode, 'id' | 'inputs'> & Partial<Pick<PayloadNode, 'classType'>>

/** A model that a node asks for. */
export type AskedModel = { readonly node: string; readonly input: string; readonly asked: string }

/** What workers have: models that the settings name, and those of the folders that they are given. */
export type InstalledModels = { readonly named: readonly string[]; readonly here: readonly ModelPlace[] }

// What inputs of loaders are called: `ckpt_name`, `clip_name2`, `lora_01`, `model`, `ipadapter_file` ... A prompt that
// ends like the name of a file is none of them.
const LOADER_INPUT =
  /(?:_name|_file|_path|ckpt|checkpoint|lora|vae|unet|clip|model|encoder|control_?net|upscaler)(?:_?\d+)?$/i

/** The models that a graph loads, each use of one. */
export function modelsOf(
  nodes: Iterable<LoadingNode>,
): readonly (AskedModel & { readonly directory: string | undefined })[] {
  return [...nodes].flatMap(({ id, inputs, classType }) =>
    [...inputs].flatMap(([input, asked]) => {
      const isModel = typeof asked === 'string' && LOADER_INPUT.test(input) && MODEL_FILE.test(asked)
      return isModel ? [{ node: id, input, asked, directory: directoryOfInput(input, classType) }] : []
    }),
  )
}

/** The first model that a graph loads and that is not installed; undefined: all are there. */
export function findMissingModel(
  nodes: Iterable<LoadingNode>,
  { named, here }: InstalledModels,
): AskedModel | undefined {
  const known = new Set(named)
  const missing = modelsOf(nodes).find(
    ({ asked, directory }) => !known.has(asked) && !isModelHere(here, asked, directory),
  )
  return missing && { node: missing.node, input: missing.input, asked: missing.asked }
}
