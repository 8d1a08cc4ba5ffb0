import { readFileSync } from 'node:fs'

/** The file of the docker command; empty where there is none, or it is not what the docker command writes. */
export function readConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // not there, or not JSON
  }
}

/** A text in an object; undefined where there is none of this name. */
export function textField(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : undefined
}
