import { AppError } from '../../contract/errors.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { withoutCacheNotes } from '../../domain/workflow/payload.ts'
import { readGraph } from './read-library-text.ts'

// Keys like `__proto__` are other things in other languages, so a worker would see another graph than we do.
const UNSAFE_IDS = new Set(['__proto__', 'constructor', 'prototype'])

const FIX =
  'Workers take the API form: the editor converts it when it runs or publishes a graph, and so does `drydock workflow convert --to api`.'

/**
 * Reads a graph in the form that workers take, as it is to be sent: without what a server noted in it for its cache.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, BAD_FIELD where a worker may read another graph
 */
export function readPayload(text: string): JsonObject {
  const { form, raw } = readGraph(text)
  if (form === 'document') throw new AppError('NOT_A_WORKFLOW', { found: 'a document of an editor', fix: FIX })
  const unsafe = [...raw.keys()].find((id) => UNSAFE_IDS.has(id))
  if (unsafe === undefined) return withoutCacheNotes(raw)
  const why = `a node has the id ${unsafe}, which no worker reads well. Rename it`
  throw new AppError('BAD_FIELD', { field: 'payload', why })
}
