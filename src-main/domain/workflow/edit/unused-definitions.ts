import type { WorkflowDocument } from '../document/document.ts'

/**
 * The document without definitions that an edit left without an instance.
 * @param before the document before the edit; a definition that had no instance there is not ours to remove
 */
export function withoutUnused(document: WorkflowDocument, before: WorkflowDocument): WorkflowDocument {
  const { definitions } = document
  if (definitions === undefined) return document
  const [used, usedBefore] = [usedIn(document), usedIn(before)]
  const items = definitions.subgraphs.items.filter(({ id = '' }) => used.has(id) || !usedBefore.has(id))
  if (items.length === definitions.subgraphs.items.length) return document
  return { ...document, definitions: { ...definitions, subgraphs: { ...definitions.subgraphs, items } } }
}

/** Ids of the definitions that the outermost graph needs, itself or by another. */
function usedIn(document: WorkflowDocument): ReadonlySet<string> {
  const definitions = new Map(document.definitions?.subgraphs.items.map((one) => [one.id ?? '', one]))
  const used = new Set<string>()
  const waiting = document.nodes.items.map(({ type = '' }) => type)
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const definition = definitions.get(type)
    if (definition === undefined || used.has(type)) continue
    used.add(type)
    for (const node of definition.nodes.items) waiting.push(node.type ?? '')
  }
  return used
}
