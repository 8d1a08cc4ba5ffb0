import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { JsonObject } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { readPayloadNode } from '../../../../src-main/domain/workflow/payload.ts'
import { keepOutputs } from '../../../../src-main/domain/workflow/publish/keep-outputs.ts'
import { payloadIdOf } from '../../../../src-main/domain/workflow/where-is.ts'

/** What is selected in an editor. `path`: ids of the nodes that were entered to see it; `selection`: ids of nodes of that graph. */
export type SelectedNodes = {
  readonly document: WorkflowDocument
  readonly path: readonly string[]
  readonly selection: ReadonlySet<string>
}

/**
 * The part of a payload that the selected outputs need; undefined where none of what is selected gives a result.
 * @param selected of a subgraph all outputs within it are meant
 */
export function selectedOutputs(
  payload: JsonObject,
  types: NodeTypes,
  { document, path, selection }: SelectedNodes,
): JsonObject | undefined {
  const chosen = new Set([...selection].map((id) => payloadIdOf(document, path, id)))
  const outputs = [...payload.keys()].filter((id) => isWithin(id, chosen) && isOutput(payload, id, types))
  return outputs.length === 0 ? undefined : keepOutputs(payload, outputs)
}

function isWithin(id: string, chosen: ReadonlySet<string>): boolean {
  const steps = id.split(':')
  return steps.some((_step, at) => chosen.has(steps.slice(0, at + 1).join(':')))
}

// One of an unknown class may be an output, and who selects it means it.
function isOutput(payload: JsonObject, id: string, types: NodeTypes): boolean {
  const node = readPayloadNode(id, payload.get(id))
  return node !== undefined && types.get(node.classType)?.isOutput !== false
}
