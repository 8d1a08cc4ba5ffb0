/** Sizes of nodes that nobody has sized, in pixels of the canvas. */
import type { InputType, NodeType } from '../node-types.ts'
import { isWidget, widgetPlaces } from '../widgets.ts'
import type { Pair } from './values.ts'

const WIDTH = 315
const SLOT_PX = 20
const WIDGET_PX = 24
const TEXT_PX = 120

/** Height of the title bar, which no size counts. Source: editor research, 1; as the editor of the field draws it. */
export const TITLE_PX = 30

/** The size of a node with so many slots, and the widgets of its class. The title bar does not count. */
export function nodeSize(inputs: number, outputs: number, type: NodeType | undefined): Pair {
  const tall = (type?.inputs ?? []).filter((input) => isWidget(input) && isTall(input)).length
  const widgets = type === undefined ? 0 : widgetPlaces(type).length
  const slots = (Math.max(inputs, outputs) + 1) * SLOT_PX
  return [WIDTH, slots + (widgets - tall) * WIDGET_PX + tall * TEXT_PX]
}

const isTall = ({ options }: InputType): boolean => options.get('multiline') === true
