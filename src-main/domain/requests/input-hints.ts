/** What the inputs of an endpoint look like: names of fields and values that were seen, for who writes the next one. */

import type { InputHints } from '../../contract/saved-requests.ts'
import { writeExact } from '../json/exact-json.ts'

// Source: ours. A list that is longer is no help, and a value that is longer is not typed again.
const FIELDS = 200
const VALUES = 8
const VALUE_LENGTH = 80
const DEPTH = 6

/** Collects the hints. @param inputs newest first */
export function inputHints(inputs: readonly unknown[]): InputHints['fields'] {
  const fields = new Map<string, Set<string>>()

  function visit(value: unknown, path: string, depth: number): void {
    if (depth > DEPTH) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 3)) visit(item, path, depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const at = path === '' ? name : `${path}.${name}`
        const known = fields.get(at)
        if (known === undefined && fields.size >= FIELDS) return
        const values = known ?? new Set()
        fields.set(at, values)
        addValue(values, item)
        visit(item, at, depth + 1)
      }
    }
  }

  for (const input of inputs) visit(input, '', 0)
  return [...fields].map(([path, values]) => ({ path, values: [...values] }))
}

function addValue(values: Set<string>, item: unknown): void {
  if (typeof item === 'object' && item !== null) return
  const text = writeExact(item)
  if (text.length <= VALUE_LENGTH && values.size < VALUES) values.add(text)
}
