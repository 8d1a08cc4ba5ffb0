/** Finding classes of nodes by words, by category and by the type of a link. Pure. */

import { isArray } from '../../../../src-main/domain/workflow/json/value.ts'
import { typesFit } from '../../../../src-main/domain/workflow/match-types.ts'
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
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return types
  const ranked = types.flatMap((type) => {
    const rank = rankOf(type, words)
    return rank === undefined ? [] : [{ type, rank }]
  })
  return ranked.sort((one, other) => one.rank - other.rank).map(({ type }) => type)
}

function rankOf(type: NodeType, words: readonly string[]): number | undefined {
  const title = type.displayName.toLowerCase()
  const name = type.name.toLowerCase()
  const [first = ''] = words
  const inNames = words.every((word) => title.includes(word) || name.includes(word))
  const all = `${title} ${name} ${type.category.toLowerCase()} ${aliasesOf(type)}`
  if (!inNames) return words.every((word) => all.includes(word)) ? 4 : undefined
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
