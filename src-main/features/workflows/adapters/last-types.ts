import { typesIn } from '../rules/classes-file.ts'
import type { NodeTypes } from '../rules/node-types.ts'

let last: { readonly json: string; readonly types: NodeTypes } | undefined

/** Graphs of one endpoint come in series, and reading its classes takes longer than reading a graph. */
export function lastTypes(json: string): NodeTypes {
  if (last?.json !== json) last = { json, types: typesIn(json) }
  return last.types
}
