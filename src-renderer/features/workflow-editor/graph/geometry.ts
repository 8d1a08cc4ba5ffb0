/**
 * Node geometry from the document with fixed row heights: nothing is measured, and 5,000 nodes need no layout. px of
 * the canvas.
 */

import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import { PICTURE_PX, showsPicture, TITLE_PX } from '../../../../src-main/features/workflows/rules/document/node-size.ts'
import type { Rectangle } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { takesFile } from '../../../../src-main/features/workflows/rules/input-type.ts'
import {
  type InputView,
  isDrawn,
  type NodeView,
  type WidgetView,
} from '../../../../src-main/features/workflows/rules/node-view.ts'
import { takesLines } from '../widgets/widget-kind.ts'

/** A node's document position is below its title. Source: the field's editor. */
export const TITLE = TITLE_PX
/** Height of an input and output row. Source: as above. */
export const SLOT_ROW = 20
// Height of a widget including the gap to the next. Source: as above.
const WIDGET_ROW = 24

const PADDING = 4
export const LEAST_WIDTH = 120
const LEAST_LINES = 64
const COLLAPSED_WIDTH = 200
const REROUTE: Pair = [75, 26]
const FRESH: Pair = [225, 80]

export type Box = Rectangle

/** Inputs with a row: excludes unlinked widgets that nobody turned into inputs. */
export const shownInputs = (view: NodeView): readonly InputView[] => view.inputs.filter(({ isShown }) => isShown)

/**
 * Without widgets that are inputs, so that heights match the document; the public editor's own drawings have no row.
 */
export function shownWidgets({ widgets }: NodeView): readonly WidgetView[] {
  return widgets.filter((widget) => isDrawn(widget) && !widget.isLinked && widget.isInput !== true)
}

export const isBare = (view: NodeView): boolean => view.kind === 'reroute'

const isMultiline = ({ input }: WidgetView): boolean => input !== undefined && takesLines(input)

// Named files are shown, which makes the node higher.
const hasPicture = ({ input, value }: WidgetView): boolean =>
  typeof value === 'string' && value !== '' && input !== undefined && showsPicture(input)

function neededHeight(view: NodeView): number {
  const rows = Math.max(shownInputs(view).length, view.outputs.length)
  const all = shownWidgets(view)
  const lines = all.filter(isMultiline).length
  // A host shows a seed's control at the seed, but it has its own row.
  const pictures = all.filter(hasPicture).length
  const controls = all.filter(({ control }) => control !== undefined).length
  const widgets = (all.length - lines + controls) * WIDGET_ROW + lines * LEAST_LINES + pictures * PICTURE_PX
  return TITLE + PADDING + rows * SLOT_ROW + widgets + 2 * PADDING
}

// Minimum height for a picture, px; a smaller one shows nothing useful.
const LEAST_PICTURE = 60

export function hasRoomBelow(view: NodeView, height: number): boolean {
  const fills = (widget: WidgetView) => isMultiline(widget) || (widget.input !== undefined && takesFile(widget.input))
  return !shownWidgets(view).some(fills) && height - neededHeight(view) >= LEAST_PICTURE
}

/**
 * Includes the title.
 * @param pos position in the document
 * @param size size in the document
 */
export function nodeBox(view: NodeView, pos: Pair | undefined, size: Pair | undefined): Box {
  const [x, y] = pos ?? [0, 0]
  if (isBare(view)) {
    const [width, height] = size ?? REROUTE
    return { x, y, width: Math.max(width, 30), height: Math.max(height, REROUTE[1]) }
  }
  const [width, height] = size ?? FRESH
  const top = y - TITLE
  if (view.isCollapsed)
    return { x, y: top, width: Math.min(COLLAPSED_WIDTH, Math.max(width, LEAST_WIDTH)), height: TITLE }
  return { x, y: top, width: Math.max(width, LEAST_WIDTH), height: Math.max(TITLE + height, neededHeight(view)) }
}

export function slotMiddle(view: NodeView, row: number, height: number): number {
  if (isBare(view)) return height / 2
  if (view.isCollapsed) return TITLE / 2
  return TITLE + PADDING + row * SLOT_ROW + SLOT_ROW / 2
}

export const GROUP_TITLE_LINE = 1.3

export const BOUNDARY_WIDTH = 140

export const boundaryHeight = (slots: number): number => TITLE + 2 * PADDING + slots * SLOT_ROW

export const boundarySlotMiddle = (row: number): number => TITLE + PADDING + row * SLOT_ROW + SLOT_ROW / 2
