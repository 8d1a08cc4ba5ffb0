/**
 * Reroutes form chains: a link names its last point, each point the next towards the output; links of one output may
 * share them. Source: docs/spec/comfyui.md, 1.4.
 */

import {
  asId,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonNumber,
  withKey,
} from '../../../../lib/json/value.ts'
import type { Graph, Link, WorkflowDocument } from '../document/document.ts'
import { idJson, type Pair, readPair } from '../document/fields.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import type { GraphAddress } from './graph-at.ts'

export type Waypoint = { readonly id: string; readonly pos: Pair }

export function waypointsOf(graph: Graph): ReadonlyMap<string, readonly Waypoint[]> {
  const reroutes = new Map(reroutesOf(graph).map((one) => [asId(one.get('id')) ?? '', one]))
  if (reroutes.size === 0) return new Map()
  const lasts = lastReroutes(graph)
  return new Map(
    graph.links.items.flatMap(({ id }) => {
      const chain = chainOf(lasts.get(id), reroutes)
      return chain.length === 0 ? [] : [[id, chain] as const]
    }),
  )
}

function chainOf(last: string | undefined, reroutes: ReadonlyMap<string, JsonObject>): readonly Waypoint[] {
  const chain: Waypoint[] = []
  const seen = new Set<string>()
  for (let id = last; id !== undefined && !seen.has(id); id = asId(reroutes.get(id)?.get('parentId'))) {
    seen.add(id)
    const pos = readPair(reroutes.get(id)?.get('pos'))
    if (pos !== undefined) chain.push({ id, pos })
  }
  return chain.reverse()
}

export function reroutesOfLink(draft: GraphDraft, link: Link): readonly Waypoint[] {
  return waypointsOf({ ...draft.graph(), links: { items: [link], unread: [] } }).get(link.id) ?? []
}

export function shareReroutes(draft: GraphDraft, linkId: string, chain: readonly Waypoint[]): void {
  if (chain.length === 0) return
  const shared = new Set(chain.map(({ id }) => id))
  const all = reroutesOf(draft.graph()).map((one) => {
    const ids = one.get('linkIds')
    if (!shared.has(asId(one.get('id')) ?? '')) return one
    return withKey(one, 'linkIds', [...(isArray(ids) ? ids : []), idJson(linkId) ?? null])
  })
  setReroutes(draft, all)
  setLastReroute(draft, linkId, chain.at(-1)?.id)
}

/**
 * @param on.before number of points between output and this one; default: last
 * @returns id: undefined if the link is missing
 */
export function addReroute(
  document: WorkflowDocument,
  at: GraphAddress,
  on: { readonly linkId: string; readonly pos: Pair; readonly before?: number },
): { readonly document: WorkflowDocument; readonly id: string | undefined } {
  let id: string | undefined
  const edited = editGraph(document, at, (draft) => {
    const link = draft.links.get(on.linkId)
    if (link === undefined) return
    const chain = reroutesOfLink(draft, link)
    const index = Math.min(on.before ?? chain.length, chain.length)
    id = draft.newId('reroute')
    insertReroute(draft, link, { id, pos: on.pos, parent: chain[index - 1]?.id, child: chain[index]?.id })
  })
  return { document: edited, id }
}

type NewReroute = {
  readonly id: string
  readonly pos: Pair
  readonly parent: string | undefined
  readonly child: string | undefined
}

function insertReroute(draft: GraphDraft, link: Link, { id, pos, parent, child }: NewReroute): void {
  const all = reroutesOf(draft.graph())
  const next = child === undefined ? undefined : all.find((one) => asId(one.get('id')) === child)
  const linkIds = next?.get('linkIds') ?? [idJson(link.id) ?? null]
  const reroute = new Map<string, JsonValue>([
    ['id', idJson(id) ?? null],
    ...(parent === undefined ? [] : [['parentId', idJson(parent) ?? null] as const]),
    ['pos', [jsonNumber(pos[0]), jsonNumber(pos[1])]],
    ['linkIds', linkIds],
  ])
  const changed = all.map((one) => (one === next ? withKey(one, 'parentId', idJson(id)) : one))
  setReroutes(draft, [...changed, reroute])
  if (next === undefined) setLastReroute(draft, link.id, id)
}

export function moveReroutes(
  document: WorkflowDocument,
  at: GraphAddress,
  positions: ReadonlyMap<string, Pair>,
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const all = reroutesOf(draft.graph())
    const moved = all.map((one) => {
      const pos = positions.get(asId(one.get('id')) ?? '')
      return pos === undefined ? one : withKey(one, 'pos', [jsonNumber(pos[0]), jsonNumber(pos[1])])
    })
    if (moved.some((one, index) => one !== all[index])) setReroutes(draft, moved)
  })
}

export function removeReroute(document: WorkflowDocument, at: GraphAddress, id: string): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const all = reroutesOf(draft.graph())
    const removed = all.find((one) => asId(one.get('id')) === id)
    if (removed === undefined) return
    const parent = asId(removed.get('parentId'))
    const isChild = (one: JsonObject) => asId(one.get('parentId')) === id
    const remaining = all.filter((one) => one !== removed)
    setReroutes(
      draft,
      remaining.map((one) => (isChild(one) ? withKey(one, 'parentId', idJson(parent)) : one)),
    )
    for (const [linkId, last] of lastReroutes(draft.graph())) if (last === id) setLastReroute(draft, linkId, parent)
  })
}

export function withoutLinkInReroutes(draft: GraphDraft, linkId: string): void {
  const all = reroutesOf(draft.graph())
  if (all.length > 0) {
    const changed = all.flatMap((one) => withoutLink(one, linkId))
    if (changed.length !== all.length || changed.some((one, at) => one !== all[at])) setReroutes(draft, changed)
  }
  if (extensionsOf(draft.graph()).some((one) => asId(one.get('id')) === linkId)) setExtension(draft, linkId, undefined)
}

function withoutLink(reroute: JsonObject, linkId: string): readonly JsonObject[] {
  const ids = reroute.get('linkIds')
  if (!isArray(ids) || !ids.some((id) => asId(id) === linkId)) return [reroute]
  const left = ids.filter((id) => asId(id) !== linkId)
  return left.length === 0 && !reroute.has('floating') ? [] : [withKey(reroute, 'linkIds', left)]
}

export function reroutesOf(graph: Graph): readonly JsonObject[] {
  const inExtra = isObject(graph.extra) ? graph.extra.get('reroutes') : undefined
  return [graph.reroutes, inExtra].flatMap((list) => (isArray(list) ? list.filter(isObject) : []))
}

export function lastReroutes(graph: Graph): ReadonlyMap<string, string> {
  const lasts = new Map<string, string>()
  for (const one of extensionsOf(graph)) {
    const [id, parent] = [asId(one.get('id')), asId(one.get('parentId'))]
    if (id !== undefined && parent !== undefined) lasts.set(id, parent)
  }
  for (const { id, raw } of graph.links.items) {
    const parent = isObject(raw) ? asId(raw.get('parentId')) : undefined
    if (parent !== undefined) lasts.set(id, parent)
  }
  return lasts
}

function extensionsOf({ extra }: Graph): readonly JsonObject[] {
  const list = isObject(extra) ? extra.get('linkExtensions') : undefined
  return isArray(list) ? list.filter(isObject) : []
}

export function setReroutes(draft: GraphDraft, reroutes: readonly JsonObject[]): void {
  const graph = draft.graph()
  const { extra } = graph
  if (isArray(graph.reroutes) || isObject(graph.state)) draft.change({ reroutes })
  else draft.change({ extra: withKey(isObject(extra) ? extra : new Map(), 'reroutes', reroutes) })
}

export function setLastReroute(draft: GraphDraft, linkId: string, reroute: string | undefined): void {
  const link = draft.links.get(linkId)
  if (link === undefined) return
  if (isArray(link.raw)) setExtension(draft, linkId, reroute)
  else draft.links.put({ ...link, raw: withKey(link.raw as JsonObject, 'parentId', idJson(reroute)) })
}

function setExtension(draft: GraphDraft, linkId: string, reroute: string | undefined): void {
  const graph = draft.graph()
  const others = extensionsOf(graph).filter((one) => asId(one.get('id')) !== linkId)
  const added = new Map<string, JsonValue>([
    ['id', idJson(linkId) ?? null],
    ['parentId', idJson(reroute) ?? null],
  ])
  const extensions = reroute === undefined ? others : [...others, added]
  draft.change({ extra: withKey(isObject(graph.extra) ? graph.extra : new Map(), 'linkExtensions', extensions) })
}
