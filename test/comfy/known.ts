/** Which templates the classes that come along can say the meaning of: those of a newer release may ask for more. */
import {
  type Graph,
  type GraphNode,
  readDocument,
  subgraphsOf,
} from '../../src-main/features/workflows/rules/document/document.ts'
import { typeOfNode } from '../../src-main/features/workflows/rules/dynamic-inputs.ts'
import type { InputType } from '../../src-main/features/workflows/rules/input-type.ts'
import { widgetsOf } from '../../src-main/features/workflows/rules/node-view.ts'
import { isArray, isObject } from '../../src-main/lib/json/value.ts'
import { objectIn, TYPES } from './convert.ts'

// Nodes of the editor alone.
const OF_EDITOR = /^(PrimitiveNode|Reroute|Note|MarkdownNote)$/

/** Whether the classes that come along hold all those of a document. */
export const knowsClassesOf = (document: string): boolean => nodesOf(document).every(({ type = '' }) => TYPES.has(type))

/**
 * Whether they also hold every input that its nodes have, and every choice that brings inputs: a class of the same name
 * may have more of them in a newer release, and then the page itself gives values to the wrong widgets.
 */
export const knowsInputsOf = (document: string): boolean =>
  nodesOf(document).every((node) => {
    const type = typeOfNode(node, TYPES)
    if (type === undefined) return false
    const names = new Set(type.inputs.map(({ name }) => name))
    return (
      node.inputs.items.every(({ name = '', widget = name }) => names.has(widget)) &&
      widgetsOf(node, type).every(({ input, value }) => keysOf(input)?.includes(value) ?? true)
    )
  })

function keysOf(input: InputType | undefined): readonly unknown[] | undefined {
  const options = input?.type === 'COMFY_DYNAMICCOMBO_V3' ? input.options.get('options') : undefined
  return isArray(options) ? options.map((one) => (isObject(one) ? one.get('key') : undefined)) : undefined
}

function nodesOf(document: string): readonly GraphNode[] {
  const read = readDocument(objectIn(document))
  const definitions = subgraphsOf(read)
  const all = [read, ...definitions.values()].flatMap(({ nodes }: Graph) => nodes.items)
  return all.filter(({ type = '' }) => !definitions.has(type) && !OF_EDITOR.test(type))
}
