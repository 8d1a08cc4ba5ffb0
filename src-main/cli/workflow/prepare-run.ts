import { readDocument, writeDocument } from '../../domain/workflow/document/document.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { Problem } from '../../domain/workflow/problem.ts'
import type { Random } from '../../domain/workflow/settle/dynamic-prompts.ts'
import { settle } from '../../domain/workflow/settle/settle.ts'
import { toPayload } from '../../domain/workflow/to-payload/to-payload.ts'
import { validate } from '../../domain/workflow/validate/validate.ts'
import type { GraphFile } from './read-graph-file.ts'
import { type Setting, setInDocument, setInPayload } from './set-values.ts'

/** A graph ready to be queued, with the document that its pictures will carry. */
export type PreparedRun = {
  readonly payload: JsonObject
  readonly document: string | undefined
  readonly problems: readonly Problem[]
}

/**
 * Sets values, settles prompts with choices, and converts. Seeds stay as the file has them: a command gives the same twice.
 * @param options.now ms since the epoch
 * @throws CliError USAGE where a value cannot be set
 */
export function prepareRun(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  settings: readonly Setting[],
  { types, now, random }: { readonly types: NodeTypes; readonly now: number; readonly random: Random },
): PreparedRun {
  if (form === 'payload') {
    const payload = setInPayload(raw, settings, types)
    return { payload, document: undefined, problems: validate(payload, types) }
  }
  const set = setInDocument(readDocument(raw), settings, types)
  const { document } = settle(set.document, types, { random, isFirst: true })
  const converted = toPayload(document, types, now)
  const payload = setInPayload(converted.payload, set.rest, types)
  // What was set within a subgraph is in the payload alone, so the document would tell of another picture.
  const isWhole = payload === converted.payload
  return {
    payload,
    document: isWhole ? writeJson(writeDocument(document)) : undefined,
    problems: [...converted.problems, ...validate(payload, types)],
  }
}
