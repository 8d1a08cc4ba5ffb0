import { isRawJson } from './raw-json.ts'

/** Returns the first value that JSON cannot hold, in writing order; undefined if none. */
export function explain(value: unknown, name: string): TypeError | undefined {
  try {
    return find(value, name, [])
  } catch (error) {
    if (error instanceof RangeError) return new TypeError(`${name} is nested too deeply for JSON`)
    throw error
  }
}

function find(value: unknown, path: string, parents: readonly object[]): TypeError | undefined {
  if (typeof value !== 'object' || value === null) return leaf(value, path)
  if (parents.includes(value)) return new TypeError(`${path} contains itself, which JSON cannot hold`)
  if (value instanceof Map || value instanceof Set)
    return new TypeError(`${path} is a ${value.constructor.name}, which JSON cannot hold; return an object or an array`)
  if (isRawJson(value))
    return new TypeError(`${path} is RawJson inside another value; only the whole result can be RawJson`)
  if ('toJSON' in value) return undefined
  const inside = [...parents, value]
  for (const [key, item] of Object.entries(value)) {
    const found = find(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, inside)
    if (found !== undefined) return found
  }
  return undefined
}

function leaf(value: unknown, path: string): TypeError | undefined {
  if (typeof value === 'bigint')
    return new TypeError(`${path} is a BigInt, which JSON cannot hold; return JSON.rawJSON(String(value)) or a string`)
  if (typeof value === 'number' && !Number.isFinite(value))
    return new TypeError(`${path} is ${value}, which JSON cannot hold; return null or a string instead`)
  return undefined
}
