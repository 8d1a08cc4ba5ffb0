import { AppError } from '../../contract/errors.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'

// Keys like `__proto__` are other things in other languages, so a worker would see another graph than we do.
const UNSAFE_IDS = new Set(['__proto__', 'constructor', 'prototype'])

/** Refuses a payload whose worker may read another graph. @throws AppError BAD_FIELD */
export function refuseUnsafeIds(payload: JsonObject): void {
  const unsafe = [...payload.keys()].find((id) => UNSAFE_IDS.has(id))
  if (unsafe === undefined) return
  const why = `a node has the id ${unsafe}, which no worker reads well. Rename it`
  throw new AppError('BAD_FIELD', { field: 'payload', why })
}
