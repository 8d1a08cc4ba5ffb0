import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { typesFit } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { NodeType, NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { isArray } from '../../../../src-main/lib/json/value.ts'

export type SlotWish = { readonly side: 'input' | 'output'; readonly type: string }

export function withSlot(types: readonly NodeType[], wish: SlotWish | undefined): readonly NodeType[] {
  if (wish === undefined) return types
  const { side, type } = wish
  return types.filter((one) => {
    const slots: readonly { readonly type: string }[] = side === 'input' ? one.inputs : one.outputs
    return slots.some((slot) => typesFit(slot.type, type))
  })
}

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
  const texts = isArray(aliases) ? aliases.filter((one) => typeof one === 'string') : []
  return texts.join(' ').toLowerCase()
}

export type Category = {
  readonly name: string
  readonly path: string
  readonly types: readonly NodeType[]
  readonly within: readonly Category[]
}

export const categoriesOf = (types: NodeTypes): readonly Category[] => categoriesWithin([...types.values()], '')

const pathOf = ({ category }: NodeType) => (category === '' ? 'other' : category).split('/')

function categoriesWithin(types: readonly NodeType[], path: string): readonly Category[] {
  const depth = path === '' ? 0 : path.split('/').length
  const groups = Map.groupBy(types, (type) => pathOf(type)[depth] ?? '')
  return [...groups]
    .filter(([name]) => name !== '')
    .sort(([one], [other]) => rankOfName(one) - rankOfName(other) || one.localeCompare(other))
    .map(([name, ofIt]) => {
      const inner = path === '' ? name : `${path}/${name}`
      const own = ofIt.filter((type) => pathOf(type).length === depth + 1)
      return { name, path: inner, types: own.sort(byTitle), within: categoriesWithin(ofIt, inner) }
    })
}

// Names that start with a sign, like `_for_testing`, are for few users.
const rankOfName = (name: string) => (/^[a-z0-9]/i.test(name) ? 0 : 1)

const byTitle = (one: NodeType, other: NodeType) => one.displayName.localeCompare(other.displayName)

export type Addable =
  | { readonly kind: 'class'; readonly type: NodeType }
  | { readonly kind: 'note' | 'markdown' | 'reroute' }
  | { readonly kind: 'subgraph'; readonly definition: string; readonly name: string }
  | { readonly kind: 'blueprint'; readonly endpointId: string; readonly id: string; readonly name: string }

export const EDITOR_NODES: readonly Addable[] = [{ kind: 'note' }, { kind: 'markdown' }, { kind: 'reroute' }]

export function addableSubgraphs({ definitions }: Pick<WorkflowDocument, 'definitions'>): readonly Addable[] {
  const all = definitions?.subgraphs.items ?? []
  return all.map(({ id = '', name = 'Subgraph' }) => ({ kind: 'subgraph', definition: id, name }))
}

export function nameOf(what: Addable): string {
  if (what.kind === 'class') return what.type.displayName
  if (what.kind === 'subgraph' || what.kind === 'blueprint') return what.name
  return { note: 'Note', markdown: 'Markdown note', reroute: 'Reroute' }[what.kind]
}

export function keyOf(what: Addable): string {
  if (what.kind === 'class') return what.type.name
  // A prefix that no class name may have.
  if (what.kind === 'blueprint') return `:blueprint ${what.id}`
  return what.kind === 'subgraph' ? `:${what.definition}` : `:${what.kind}`
}

const TYPE = 'application/x-drydock-node'

// A class by name: the endpoint of the canvas may define it differently.
type Dragged = Exclude<Addable, { kind: 'class' }> | { readonly kind: 'class'; readonly name: string }

export function writeDragged(into: DataTransfer, what: Addable): void {
  into.setData(TYPE, JSON.stringify(what.kind === 'class' ? { kind: what.kind, name: what.type.name } : what))
  into.effectAllowed = 'copy'
}

export const isDraggedNode = ({ types }: DataTransfer): boolean => types.includes(TYPE)

export function readDragged(from: DataTransfer, types: NodeTypes): Addable | undefined {
  const text = from.getData(TYPE)
  if (text === '') return undefined
  const dragged: Dragged = JSON.parse(text)
  if (dragged.kind !== 'class') return dragged
  const type = types.get(dragged.name)
  return type && { kind: 'class', type }
}
