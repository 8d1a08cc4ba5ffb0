import type { Json } from '../../domain/json/json.ts'

export function jsonText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}
