import type { Json } from '../../domain/json/json.ts'

/** JSON as text; of a large payload its bytes are decoded. */
export function jsonText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}
