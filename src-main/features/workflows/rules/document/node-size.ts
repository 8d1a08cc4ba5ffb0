import { type InputType, isWidget } from '../input-type.ts'
import type { NodeType } from '../node-types.ts'
import { valueSlots } from '../widgets.ts'
import type { Pair } from './fields.ts'

const WIDTH = 315
const SLOT_PX = 20
const WIDGET_PX = 24
const TEXT_PX = 120

/** Height of the picture below a loaded file's name. Source: ours; the picture keeps its proportions. */
export const PICTURE_PX = 180
const PICTURES = ['image_upload', 'animated_image_upload']

export const showsPicture = ({ options }: Pick<InputType, 'options'>): boolean =>
  PICTURES.some((key) => options.get(key) === true)

/** Height of the title bar, which sizes exclude. Source: docs/spec/comfyui.md, 1; as drawn by ComfyUI's editor. */
export const TITLE_PX = 30

export function nodeSize(inputs: number, outputs: number, type: NodeType | undefined): Pair {
  return [WIDTH, (Math.max(inputs, outputs) + 1) * SLOT_PX + (type === undefined ? 0 : widgetsHeight(type))]
}

// Only a cache: a graph has thousands of nodes of few classes.
const heights = new WeakMap<NodeType, number>()

function widgetsHeight(type: NodeType): number {
  const height = heights.get(type) ?? addHeights(type)
  heights.set(type, height)
  return height
}

function addHeights(type: NodeType): number {
  const tall = type.inputs.filter((input) => isWidget(input) && isTall(input)).length
  const pictures = type.inputs.filter(showsPicture).length
  const own = new Set(type.inputs.flatMap(({ name, page }) => (page === undefined ? name : [])))
  const widgets = valueSlots(type).filter(({ name }) => own.has(name)).length
  return (widgets - tall) * WIDGET_PX + tall * TEXT_PX + pictures * PICTURE_PX
}

const isTall = ({ options }: InputType): boolean => options.get('multiline') === true
