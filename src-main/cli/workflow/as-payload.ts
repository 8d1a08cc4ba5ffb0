import { readDocument } from '../../domain/workflow/document/document.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { Problem } from '../../domain/workflow/problem.ts'
import { toPayload } from '../../domain/workflow/to-payload/to-payload.ts'
import { validate } from '../../domain/workflow/validate/validate.ts'
import type { GraphFile } from './read-graph-file.ts'

/** A graph as workers take it, and all that is wrong with it. */
export type CheckedPayload = { readonly payload: JsonObject; readonly problems: readonly Problem[] }

/** The payload of a file, as it is or converted, checked. @param now ms since the epoch, for dates in names of files */
export function checkedPayload(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  types: NodeTypes,
  now: number,
): CheckedPayload {
  if (form === 'payload') return { payload: raw, problems: validate(raw, types) }
  const { payload, problems } = toPayload(readDocument(raw), types, now)
  return { payload, problems: [...problems, ...validate(payload, types)] }
}
