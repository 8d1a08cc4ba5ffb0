import { readDocument } from '../../domain/workflow/document/document.ts'
import { isArray, type JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { Problem } from '../../domain/workflow/problem.ts'
import { toDocument } from '../../domain/workflow/to-document/to-document.ts'
import { toPayload } from '../../domain/workflow/to-payload/to-payload.ts'
import type { GraphFile } from './read-graph-file.ts'

const INDENT = 2

/** What came out. */
type Converted = {
  readonly text: string
  readonly raw: JsonObject
  readonly nodes: number
  readonly problems: readonly Problem[]
}

/** Converts a graph; one that has the form already stays what it is. @param options.now ms since the epoch */
export function convertGraph(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  to: 'api' | 'ui',
  types: NodeTypes,
  { now, isCompact }: { readonly now: number; readonly isCompact: boolean },
): Converted {
  const indent = isCompact ? 0 : INDENT
  if (to === 'api') {
    const { payload, problems } =
      form === 'payload' ? { payload: raw, problems: [] } : toPayload(readDocument(raw), types, now)
    return { text: writeJson(payload, indent), raw: payload, nodes: payload.size, problems }
  }
  const document = form === 'document' ? raw : toDocument(raw, types)
  const nodes = document.get('nodes')
  return { text: writeJson(document, indent), raw: document, nodes: isArray(nodes) ? nodes.length : 0, problems: [] }
}
