import { arrayAt, isArray, isObject, type JsonObject, type JsonValue, writeJson } from '../../../lib/json/value.ts'
import { MODEL_FILE } from '../../models/rules/layout.ts'
import { objectAt, readNodeTypes } from './node-types.ts'

const GROUPS = ['required', 'optional'] as const

/** All classes; the definition of the first server counts, with the choices of all. */
export function mergeClasses(servers: readonly JsonObject[]): JsonObject {
  const merged = new Map<string, JsonValue>()
  for (const classes of servers)
    for (const [name, type] of classes) {
      const known = merged.get(name)
      merged.set(name, isObject(known) && isObject(type) ? withChoicesOf(known, type) : (known ?? type))
    }
  return merged
}

function withChoicesOf(type: JsonObject, other: JsonObject): JsonObject {
  const [inputs, others] = [objectAt(type, 'input'), objectAt(other, 'input')]
  const groups = GROUPS.flatMap((group): [string, JsonValue][] => {
    const known = inputs.get(group)
    if (!isObject(known)) return []
    const more = objectAt(others, group)
    return [[group, new Map([...known].map(([name, input]) => [name, withMore(input, more.get(name))]))]]
  })
  return new Map([...type, ['input', new Map([...inputs, ...groups])]])
}

// A list is the type itself, or `options` of the type COMBO in newer servers.
function withMore(input: JsonValue, other: JsonValue | undefined): JsonValue {
  if (!isArray(input) || !isArray(other)) return input
  const [type, options] = input
  const [otherType, otherOptions] = other
  if (isArray(type) && isArray(otherType)) return [union(type, otherType), ...input.slice(1)]
  if (type !== 'COMBO' || !isObject(options) || !isObject(otherOptions)) return input
  const choices = union(arrayAt(options, 'options'), arrayAt(otherOptions, 'options'))
  return [type, new Map([...options, ['options', choices]]), ...input.slice(2)]
}

// Numbers are objects, so values are compared by their text.
function union(one: readonly JsonValue[], other: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map([...one, ...other].map((value) => [writeJson(value), value])).values()]
}

export type ClassesAndModels = { readonly classes: readonly string[]; readonly models: readonly string[] }

export function classesAndModels(classes: JsonObject): ClassesAndModels {
  const models = [...readNodeTypes(classes).values()].flatMap(({ inputs }) =>
    inputs.flatMap(({ choices = [] }) =>
      choices.filter((choice): choice is string => typeof choice === 'string' && MODEL_FILE.test(choice)),
    ),
  )
  return { classes: [...classes.keys()], models: [...new Set(models)] }
}
