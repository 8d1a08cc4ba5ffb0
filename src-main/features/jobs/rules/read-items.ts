import { limit } from '../../../contract/limits.ts'
import { cutText, rawFields, rawItems } from '../../../lib/json/scan.ts'

export function itemsOf(
  body: string,
  field: string | undefined,
): { readonly items: readonly string[] } | { readonly problem: string } {
  const list = field === undefined ? body : rawFields(body, cutText(body))(field)
  const items = list === undefined ? undefined : rawItems(list, limit('jsonDepth'))
  return items === undefined ? { problem: 'must be a list of requests like [{"input": {...}}]' } : { items }
}
