/**
 * Nodes of the page's scripts: no server has their classes, so they are never sent. Source: docs/spec/comfyui.md, 1.6;
 * the scripts of rgthree-comfy, ComfyUI-KJNodes, ComfyUI-Easy-Use and cg-use-everywhere.
 */
import { isArray, isObject } from '../../../../lib/json/value.ts'
import type { GraphNode } from '../document/document.ts'
import type { NodeTypes } from '../node-types.ts'
import { OTHER_INPUTS } from '../widgets.ts'

/** `get` reads the input of the `set` node with its name; `everywhere` feeds unlinked inputs. */
type VirtualKind = 'nothing' | 'value' | 'pass' | 'set' | 'get' | 'everywhere'

const CLASSES: Readonly<Record<VirtualKind, readonly string[]>> = {
  nothing: [
    ...['Note', 'MarkdownNote', 'Note Plus (mtb)', 'easy bookmark'],
    ...['Label (rgthree)', 'Bookmark (rgthree)', 'Fast Actions Button (rgthree)', 'Power Conductor (rgthree)'],
    ...['Fast Muter (rgthree)', 'Fast Bypasser (rgthree)', 'Fast Node Muter (rgthree)', 'Random Unmuter (rgthree)'],
    ...['Fast Groups Muter (rgthree)', 'Fast Groups Bypasser (rgthree)'],
    ...['Mute / Bypass Relay (rgthree)', 'Mute / Bypass Repeater (rgthree)'],
    ...['Node Collector (rgthree)', 'Node Combiner (rgthree)'],
  ],
  value: ['PrimitiveNode'],
  pass: ['Reroute', 'Reroute (rgthree)'],
  set: ['SetNode', 'easy setNode'],
  get: ['GetNode', 'easy getNode'],
  everywhere: [
    ...['Anything Everywhere', 'Anything Everywhere?', 'Anything Everywhere3'],
    ...['Prompts Everywhere', 'Seed Everywhere'],
  ],
}

export const VIRTUAL_KINDS: ReadonlyMap<string, VirtualKind> = new Map(
  (Object.keys(CLASSES) as VirtualKind[]).flatMap((kind) => CLASSES[kind].map((name) => [name, kind] as const)),
)

// Files of 2024 have the older slash.
const GROUP_NODE = /^workflow[>/](.+)$/s

export const groupName = ({ type = '' }: GraphNode): string | undefined => GROUP_NODE.exec(type)?.[1]

export const isGroupNode = (node: GraphNode): boolean => groupName(node) !== undefined

/** @returns undefined for a node that is sent, as every node of an opened payload is */
export function virtualKind({ type = '', properties }: GraphNode): VirtualKind | undefined {
  const kind = VIRTUAL_KINDS.get(type)
  return kind !== undefined && isObject(properties) && properties.has(OTHER_INPUTS) ? undefined : kind
}

// Properties that the page writes only into nodes of a server's classes.
const OF_SERVER = ['Node name for S&R', 'cnr_id', 'aux_id']

/** Whether an unknown class is probably a page script's; such a node without links and values does nothing. */
export function isOfPageScript({ type = '', inputs, outputs, properties, widgetValues }: GraphNode, types: NodeTypes) {
  const isOfServer = !isObject(properties) || properties.size === 0 || OF_SERVER.some((name) => properties.has(name))
  const isLinked =
    inputs.items.some(({ link }) => link !== undefined) || outputs.items.some(({ links }) => links.length > 0)
  const hasValues = isArray(widgetValues) ? widgetValues.length > 0 : widgetValues !== undefined
  return !types.has(type) && !isOfServer && !isLinked && !hasValues
}
