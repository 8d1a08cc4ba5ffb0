/**
 * How large a query may be, looked at before anything else is done with it. Fragments are counted wherever they are
 * spread and a field under each of its aliases, so that a short text cannot ask for much.
 */
import type { DocumentNode, SelectionSetNode } from 'graphql'

/** Levels of fields; source: ours, twice what the schema has. */
const MAX_DEPTH = 8
/** Fields in all; source: ours, four times what shows an app with all that belongs to it. */
const MAX_FIELDS = 200
/** Tokens of the text, as the parser counts them; source: ours, 200 fields with arguments take half of it. */
export const MAX_TOKENS = 4000

type Size = { readonly depth: number; readonly fields: number; readonly introspects: boolean }

const NOTHING: Size = { depth: 0, fields: 0, introspects: false }
// Validation bounds how deep introspection may go, and tools that read a schema go deeper than any of our queries.
const INTROSPECTION: readonly string[] = ['__schema', '__type']

/** Why a query is not looked at any further; undefined: it may be. */
export function queryFault(document: DocumentNode, mayIntrospect: boolean): string | undefined {
  const { depth, fields, introspects } = measure(document)
  if (depth > MAX_DEPTH) return `The query is more than ${MAX_DEPTH} levels deep. Ask for less at a time.`
  if (fields > MAX_FIELDS)
    return `The query asks for more than ${MAX_FIELDS} fields, counting fragments and aliases. Ask for less at a time.`
  if (introspects && !mayIntrospect) return 'This key may not ask for the schema. Use the account key.'
  return undefined
}

function measure({ definitions }: DocumentNode): Size {
  const fragments = new Map(
    definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  )
  const measured = new Map<string, Size>()

  function sizeOfFragment(name: string): Size {
    const known = measured.get(name)
    if (known !== undefined) return known
    measured.set(name, NOTHING) // one that holds itself ends here; validation refuses it
    const set = fragments.get(name)
    const size = set === undefined ? NOTHING : sizeOf(set)
    measured.set(name, size)
    return size
  }

  function sizeOf({ selections }: SelectionSetNode): Size {
    const sizes = selections.map((selection): Size => {
      if (selection.kind === 'FragmentSpread') return sizeOfFragment(selection.name.value)
      if (selection.kind === 'InlineFragment') return sizeOf(selection.selectionSet)
      const introspects = INTROSPECTION.includes(selection.name.value)
      const inner = selection.selectionSet === undefined || introspects ? NOTHING : sizeOf(selection.selectionSet)
      return { depth: inner.depth + 1, fields: inner.fields + 1, introspects: inner.introspects || introspects }
    })
    return sizes.reduce(together, NOTHING)
  }

  const operations = definitions.flatMap((definition) =>
    definition.kind === 'OperationDefinition' ? [sizeOf(definition.selectionSet)] : [],
  )
  const all = operations.reduce(together, NOTHING)
  // Validation compares the fields of fragments that nothing uses, too, before it refuses them.
  return { ...all, fields: Math.max(all.fields, ...[...fragments.keys()].map((name) => sizeOfFragment(name).fields)) }
}

function together(one: Size, other: Size): Size {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    introspects: one.introspects || other.introspects,
  }
}
