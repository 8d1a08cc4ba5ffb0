/**
 * What can be added to a graph: classes of nodes, found by words, category or the type of a link, and what every graph
 * can have. And how one is dragged onto the canvas.
 */

import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { typesFit } from '../../../../src-main/domain/workflow/input-type.ts'
import { isArray } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeType, NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'

/** What a node must have: an input that takes the type, or an output that gives it. */
export type SlotWish = { readonly side: 'input' | 'output'; readonly type: string }

/** The classes that have such a slot. */
export function withSlot(types: readonly NodeType[], wish: SlotWish | undefined): readonly NodeType[] {
  if (wish === undefined) return types
  const { side, type } = wish
  return types.filter((one) => {
    const slots: readonly { readonly type: string }[] = side === 'input' ? one.inputs : one.outputs
    return slots.some((slot) => typesFit(slot.type, type))
  })
}

/** The classes that all the words are in, the best first: a name that begins with them, then one that holds them. */
export function findNodeTypes(types: readonly NodeType[], typed: string): readonly NodeType[] {
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return types
  const ranked = types.flatMap((type) => {
    const rank = rankOf(type, terms)
    return rank === undefined ? [] : [{ type, rank }]
  })
  return ranked.sort((one, other) => one.rank - other.rank).map(({ type }) => type)
}

function rankOf(type: NodeType, terms: readonly string[]): number | undefined {
  const title = type.displayName.toLowerCase()
  const name = type.name.toLowerCase()
  const [first = ''] = terms
  const inNames = terms.every((term) => title.includes(term) || name.includes(term))
  const all = `${title} ${name} ${type.category.toLowerCase()} ${aliasesOf(type)}`
  if (!inNames) return terms.every((term) => all.includes(term)) ? 4 : undefined
  if (title === first || name === first) return 0
  if (title.startsWith(first) || name.startsWith(first)) return 1
  return title.includes(` ${first}`) ? 2 : 3
}

function aliasesOf({ raw }: NodeType): string {
  const aliases = raw.get('search_aliases')
  return isArray(aliases)
    ? aliases
        .filter((one) => typeof one === 'string')
        .join(' ')
        .toLowerCase()
    : ''
}

/** A category with its classes and what is within it. */
export type Category = {
  readonly name: string
  readonly path: string
  readonly types: readonly NodeType[]
  readonly within: readonly Category[]
}

/** The categories of the classes, as a tree. */
export function categoriesOf(types: NodeTypes): readonly Category[] {
  const all = [...types.values()]
  return categoriesWithin(all, '')
}

function categoriesWithin(types: readonly NodeType[], path: string): readonly Category[] {
  const depth = path === '' ? 0 : path.split('/').length
  const groups = Map.groupBy(types, ({ category }) => (category === '' ? 'other' : category).split('/')[depth] ?? '')
  return [...groups]
    .filter(([name]) => name !== '')
    .sort(([one], [other]) => rankOfName(one) - rankOfName(other) || one.localeCompare(other))
    .map(([name, ofIt]) => {
      const inner = path === '' ? name : `${path}/${name}`
      const own = ofIt.filter(({ category }) => (category === '' ? 'other' : category).split('/').length === depth + 1)
      return { name, path: inner, types: own.sort(byTitle), within: categoriesWithin(ofIt, inner) }
    })
}

// What begins with a sign, like `_for_testing`, is for few.
const rankOfName = (name: string) => (/^[a-z0-9]/i.test(name) ? 0 : 1)

const byTitle = (one: NodeType, other: NodeType) => one.displayName.localeCompare(other.displayName)

/** Something that can be added to a graph: a class of its endpoint, a note, a reroute, one of its own subgraphs. */
export type Addable =
  | { readonly kind: 'class'; readonly type: NodeType }
  | { readonly kind: 'note' | 'markdown' | 'reroute' }
  | { readonly kind: 'subgraph'; readonly definition: string; readonly name: string }

/** What every graph can have. */
export const EDITOR_NODES: readonly Addable[] = [{ kind: 'note' }, { kind: 'markdown' }, { kind: 'reroute' }]

/** The subgraphs of a document, of each of which another node can be made. */
export function addableSubgraphs({ definitions }: Pick<WorkflowDocument, 'definitions'>): readonly Addable[] {
  const all = definitions?.subgraphs.items ?? []
  return all.map(({ id = '', name = 'Subgraph' }) => ({ kind: 'subgraph', definition: id, name }))
}

/** What something that can be added is called in lists. */
export function nameOf(what: Addable): string {
  if (what.kind === 'class') return what.type.displayName
  if (what.kind === 'subgraph') return what.name
  return { note: 'Note', markdown: 'Markdown note', reroute: 'Reroute' }[what.kind]
}

/** What tells something that can be added from the others of a list. */
export function keyOf(what: Addable): string {
  if (what.kind === 'class') return what.type.name
  // No class may be called like one of the others.
  return what.kind === 'subgraph' ? `:${what.definition}` : `:${what.kind}`
}

// A node on its way from the palette to the canvas.
const TYPE = 'application/x-drydock-node'

// A class by its name: the endpoint of the canvas may know another one under it.
type Dragged = Exclude<Addable, { kind: 'class' }> | { readonly kind: 'class'; readonly name: string }

/** Puts what is dragged into the hand. */
export function writeDragged(into: DataTransfer, what: Addable): void {
  into.setData(TYPE, JSON.stringify(what.kind === 'class' ? { kind: what.kind, name: what.type.name } : what))
  into.effectAllowed = 'copy'
}

/** Whether a node is dragged. */
export const isDraggedNode = ({ types }: DataTransfer): boolean => types.includes(TYPE)

/** What is dragged; undefined where it is none of ours. @param types classes that are known here */
export function readDragged(from: DataTransfer, types: NodeTypes): Addable | undefined {
  const text = from.getData(TYPE)
  if (text === '') return undefined
  const dragged: Dragged = JSON.parse(text)
  if (dragged.kind !== 'class') return dragged
  const type = types.get(dragged.name)
  return type && { kind: 'class', type }
}
