/** Subgraphs that a ComfyUI server offers: `GET /global_subgraphs`. Source: docs/spec/comfyui.md, 5. */
import type { Blueprint } from '../../../contract/workflows.ts'
import { asText, isRecord, plainJson } from '../../../lib/json/plain.ts'

export function blueprintsIn(text: string): Blueprint[] {
  const list = plainJson(text)
  return isRecord(list) ? Object.entries(list).flatMap(([id, given]) => blueprintOf(id, given)) : []
}

function blueprintOf(id: string, given: unknown): readonly Blueprint[] {
  const name = isRecord(given) ? asText(given.name) : undefined
  if (!isRecord(given) || !name) return []
  const pack = isRecord(given.info) ? asText(given.info.node_pack) : undefined
  // Some versions give the folder of the package.
  const folder = pack?.split(/[\\/]/).at(-1)
  return [{ id, name, ...(folder ? { package: folder } : {}) }]
}

/** @returns the JSON of its document; undefined if the response has no document */
export function blueprintText(text: string): string | undefined {
  const given = plainJson(text)
  return isRecord(given) ? asText(given.data) : undefined
}
