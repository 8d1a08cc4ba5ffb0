/**
 * The rule of one model: a worker has the models that are in it, and a graph that loads another fails on it after it has
 * waited. Source: service-spec 2.5; image-workflows, Image workers.
 */

import type { PayloadNode } from '../workflow/payload.ts'

/** A node as far as the rule looks at it. */
export type LoadingNode = Pick<PayloadNode, 'id' | 'inputs'>

/** A model that a node asks for. */
export type AskedModel = { readonly node: string; readonly input: string; readonly asked: string }

// What inputs of loaders are called: `ckpt_name`, `clip_name2`, `lora_01`, `model`, `ipadapter_file` ... A prompt that
// ends like the name of a file is none of them.
const LOADER_INPUT =
  /(?:_name|_file|_path|ckpt|checkpoint|lora|vae|unet|clip|model|encoder|control_?net|upscaler)(?:_?\d+)?$/i

// What is built in has a name without an ending, like `taesd`, and so has `None`.
const MODEL_FILE = /\.(?:safetensors|sft|ckpt|pt2?|pth|bin|gguf|onnx|pkl)$/i

/** The models that a graph loads, each use of one. */
export function modelsOf(nodes: Iterable<LoadingNode>): readonly AskedModel[] {
  return [...nodes].flatMap(({ id, inputs }) =>
    [...inputs].flatMap(([input, asked]) => {
      const isModel = typeof asked === 'string' && LOADER_INPUT.test(input) && MODEL_FILE.test(asked)
      return isModel ? [{ node: id, input, asked }] : []
    }),
  )
}

/** The first model that a graph loads and that is not installed; undefined: all are there. */
export function findMissingModel(nodes: Iterable<LoadingNode>, installed: readonly string[]): AskedModel | undefined {
  const known = new Set(installed)
  return modelsOf(nodes).find(({ asked }) => !known.has(asked))
}
