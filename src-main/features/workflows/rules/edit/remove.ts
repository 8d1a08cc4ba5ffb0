import { asId, isArray, isObject } from '../../../../lib/json/value.ts'
import type { WorkflowDocument } from '../document/document.ts'
import { withoutUnused } from './definitions.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import type { GraphAddress } from './graph-at.ts'
import { dropLinks } from './slots.ts'

export function removeNodes(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): WorkflowDocument {
  const removed = editGraph(document, at, (draft) => dropNodes(draft, ids))
  return removed === document ? document : withoutUnused(removed, document)
}

export function dropNodes(draft: GraphDraft, ids: ReadonlySet<string>): void {
  const links = draft.links.all().filter(({ from, to }) => ids.has(from.node) || ids.has(to.node))
  dropLinks(
    draft,
    links.map(({ id }) => id),
  )
  dropFloating(draft, ids)
  for (const id of ids) draft.nodes.drop(id)
}

function dropFloating(draft: GraphDraft, ids: ReadonlySet<string>): void {
  const { floatingLinks } = draft.graph()
  if (!isArray(floatingLinks)) return
  const remaining = floatingLinks.filter((link) => {
    const ends = isObject(link) ? [asId(link.get('origin_id')), asId(link.get('target_id'))] : []
    return !ends.some((end) => end !== undefined && ids.has(end))
  })
  if (remaining.length < floatingLinks.length) draft.change({ floatingLinks: remaining })
}

export function removeLinks(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): WorkflowDocument {
  return editGraph(document, at, (draft) => dropLinks(draft, ids))
}
