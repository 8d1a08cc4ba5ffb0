/** Checks the graph of a prompt as a ComfyUI server does, and reads it for its job. Source: docs/spec/comfyui.md, 9 and 10. */
import { parseJson } from '../../../lib/json/parse.ts'
import { isObject } from '../../../lib/json/value.ts'
import type { NodeTypes } from '../../workflows/rules/node-types.ts'
import { readPayloadNodes } from '../../workflows/rules/payload.ts'
import { pruneToOutputs } from '../../workflows/rules/publish/parameter-values.ts'
import { type AskedRun, type RefusedRun, type RunGraph, runParsed } from '../../workflows/rules/runs/run-graph.ts'
import { validate } from '../../workflows/rules/validate.ts'
import { nameAssets } from './asset-references.ts'
import { missingAssets, NO_OUTPUTS, NO_PROMPT, type Refusal, refusalOf } from './refusals.ts'

export type AskedPrompt = {
  /** Ids of outputs; undefined: all. */
  readonly targets: readonly string[] | undefined
  readonly knowsFiles: boolean
  /** Names of input files by id, for references to assets; undefined: they are not read. */
  readonly assets?: Readonly<Record<string, string>> | undefined
  readonly run: AskedRun
}

export type CheckedPrompt = {
  readonly graph: RunGraph
  readonly outputs: readonly string[]
}

export type RefusedPrompt = { readonly refused: Refusal }

/** Nodes of unknown classes may be outputs. */
export function checkPrompt(
  text: string,
  { targets, knowsFiles, assets, run }: AskedPrompt,
  types: NodeTypes,
): CheckedPrompt | RefusedPrompt | RefusedRun {
  const sent = parseJson(text)
  if (!isObject(sent)) return { refused: NO_PROMPT }
  const { graph: all, missing } = assets === undefined ? { graph: sent, missing: [] } : nameAssets(sent, assets)
  if (missing.length > 0) return { refused: missingAssets(missing) }
  const classes = new Map(readPayloadNodes(all).map(({ id, classType }) => [id, classType]))
  const isOutput = (id: string) => types.get(classes.get(id) ?? '')?.isOutput
  const asked = targets?.filter((id) => classes.has(id) && isOutput(id) !== false)
  if (asked?.length === 0) return { refused: NO_OUTPUTS }
  const payload = asked === undefined ? all : pruneToOutputs(all, asked)
  const outputs = asked ?? [...classes.keys()].filter((id) => isOutput(id) === true)
  const problems = validate(payload, types).filter(({ code }) => knowsFiles || code !== 'value_not_in_list')
  const refused = refusalOf(problems, { outputs, classOf: (node) => classes.get(node) })
  if (refused !== undefined) return { refused }
  const graph = runParsed(payload, run, types)
  return 'words' in graph ? { graph, outputs } : graph
}
