/** References to assets in the graphs of Comfy API v2, `{"__type": "core/ASSET", "info": {"id"}}`. */
import { isArray, isObject, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'

const TYPE = 'core/ASSET'

/** Ids have the form of a UUID, and those of results end with a number. */
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d{1,4})?/g

export function possibleAssetIds(graph: string, most: number): readonly string[] {
  const ids = new Set<string>()
  if (!graph.includes(TYPE)) return []
  for (const [id] of graph.matchAll(ID))
    if (ids.size < most) ids.add(id)
    else break
  return [...ids]
}

/**
 * Replaces references with the names of their files.
 * @param names by id
 */
export function nameAssets(
  graph: JsonObject,
  names: Readonly<Record<string, string>>,
): { readonly graph: JsonObject; readonly missing: readonly string[] } {
  const missing: string[] = []
  function named(value: JsonValue): JsonValue {
    if (isArray(value)) return value.map(named)
    if (!isObject(value)) return value
    if (value.get('__type') !== TYPE) return namedInside(value)
    const info = value.get('info')
    const id = isObject(info) ? info.get('id') : undefined
    if (typeof id === 'string' && Object.hasOwn(names, id)) return names[id] ?? value
    missing.push(typeof id === 'string' ? id.slice(0, 100) : 'a reference without an id')
    return value
  }
  const namedInside = (object: JsonObject): JsonObject =>
    new Map([...object].map(([key, value]) => [key, named(value)] as const))
  return { graph: namedInside(graph), missing }
}
