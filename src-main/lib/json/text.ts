import type { Json } from './bytes.ts'

export function jsonText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}
