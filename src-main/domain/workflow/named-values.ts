/**
 * The names that newer files give the values of a node besides their places, in `widgets_values_named`. By them the values
 * of a class that nobody here knows can be told apart; where both are there, the places have the word, as in the editor of
 * ComfyUI. Source: editor research, 1.
 */
import { isControlMode } from './control-mode.ts'
import type { GraphNode } from './document/document.ts'
import { isArray, isObject, type JsonObject, type JsonValue } from './json/value.ts'

/** A name in the order of the values: of an input, or of a widget beside the input before it. */
export type NamedPlace = { readonly name: string; readonly kind: 'input' | 'control' | 'filter'; readonly at: number }

const CONTROLS = new Set(['control_after_generate', 'control_before_generate'])
const FILTER = 'control_filter_list'

/** The places of the values by their names; undefined where the file has no names, or other ones than values. */
export function namedPlaces({ namedValues, widgetValues }: GraphNode): readonly NamedPlace[] | undefined {
  if (!isObject(namedValues) || !isArray(widgetValues)) return undefined
  const all = widgetValues.map((_value, at) => at)
  // A widget that is not saved leaves a hole in the list, and has no name.
  const places = namedValues.size === all.length ? all : all.filter((at) => widgetValues[at] !== null)
  if (places.length !== namedValues.size) return undefined
  return namesIn(namedValues).map((one, place) => ({ ...one, at: places[place] ?? 0 }))
}

/** The values of the inputs by their names alone; undefined where the file has no names. */
export function namedInputs({ namedValues }: GraphNode): JsonObject | undefined {
  if (!isObject(namedValues)) return undefined
  const values = [...namedValues.values()]
  return new Map(
    namesIn(namedValues).flatMap(({ name, kind }, at): readonly (readonly [string, JsonValue])[] =>
      kind === 'input' ? [[name, values[at] ?? null]] : [],
    ),
  )
}

function namesIn(named: JsonObject): readonly Omit<NamedPlace, 'at'>[] {
  let input = ''
  return [...named].map(([key, value]) => {
    const name = withoutNumber(key, named)
    if (name === FILTER) return { name: input, kind: 'filter' }
    // The key of a control may be the word that its class begins with, like `fixed`.
    if (isControlMode(value) && (CONTROLS.has(name) || isControlMode(name))) return { name: input, kind: 'control' }
    input = name
    return { name, kind: 'input' }
  })
}

// The second `text` of a node is `text#1`.
function withoutNumber(key: string, named: JsonObject): string {
  const [, name] = /^(.+)#\d+$/s.exec(key) ?? []
  return name !== undefined && named.has(name) ? name : key
}
