/**
 * Where everything of a node is. Sizes come from the document and rows have fixed heights, so that nothing is measured:
 * links know their ends before a node was ever drawn, and 5,000 nodes cost no layout. px of the canvas.
 */

import type { Pair } from '../../../../src-main/domain/workflow/document/fields.ts'
import { PICTURE_PX, showsPicture, TITLE_PX } from '../../../../src-main/domain/workflow/document/node-size.ts'
import type { Rectangle } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { takesFile } from '../../../../src-main/domain/workflow/input-type.ts'
import {
  type InputView,
  isDrawn,
  type NodeView,
  type WidgetView,
} from '../../../../src-main/domain/workflow/node-view.ts'
import { takesLines } from '../widgets/widget-kind.ts'

/** Height of a title; the place of a node in the document is below it. Source: the field's editor. */
export const TITLE = TITLE_PX
/** Height of a row with an input and an output. Source: as above. */
export const SLOT_ROW = 20
// Height of a widget with what is between it and the next. Source: as above.
const WIDGET_ROW = 24

const PADDING = 4
/** The least width of a node, px. */
export const LEAST_WIDTH = 120
const LEAST_LINES = 64
const COLLAPSED_WIDTH = 200
const REROUTE: Pair = [75, 26]
const FRESH: Pair = [225, 80]

/** A rectangle on the canvas. */
export type Box = Rectangle

/** The inputs that have a row: all but those of widgets that nothing is linked to, and that nobody made inputs. */
export const shownInputs = (view: NodeView): readonly InputView[] => view.inputs.filter(({ isShown }) => isShown)

/**
 * The widgets that stand on the node: one that is an input has the row of that instead, so that a node is as high as
 * the document says; what the public editor alone draws has no row here.
 */
export function shownWidgets({ widgets }: NodeView): readonly WidgetView[] {
  return widgets.filter((widget) => isDrawn(widget) && !widget.isLinked && widget.isInput !== true)
}

/** Whether a node is a dot in a link and has no title. */
export const isBare = (view: NodeView): boolean => view.kind === 'reroute'

const isMultiline = ({ input }: WidgetView): boolean => input !== undefined && takesLines(input)

// A file that is named is shown: the node grows for its picture.
const hasPicture = ({ input, value }: WidgetView): boolean =>
  typeof value === 'string' && value !== '' && input !== undefined && showsPicture(input)

/** How high a node must be for all that it shows. */
function neededHeight(view: NodeView): number {
  const rows = Math.max(shownInputs(view).length, view.outputs.length)
  const all = shownWidgets(view)
  const lines = all.filter(isMultiline).length
  // A host tells of the control of a seed at the seed; it has a row of its own.
  const pictures = all.filter(hasPicture).length
  const controls = all.filter(({ control }) => control !== undefined).length
  const widgets = (all.length - lines + controls) * WIDGET_ROW + lines * LEAST_LINES + pictures * PICTURE_PX
  return TITLE + PADDING + rows * SLOT_ROW + widgets + 2 * PADDING
}

// A picture that is smaller says nothing.
const LEAST_PICTURE = 60

/** Whether pictures have room below the widgets. @param height of the whole node */
export function hasRoomBelow(view: NodeView, height: number): boolean {
  const fills = (widget: WidgetView) => isMultiline(widget) || (widget.input !== undefined && takesFile(widget.input))
  return !shownWidgets(view).some(fills) && height - neededHeight(view) >= LEAST_PICTURE
}

/** The box of a node, with its title. @param pos @param size as the document has them */
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
  return {
    x,
    y: top,
    width: Math.max(width, LEAST_WIDTH),
    height: Math.max(TITLE + height, neededHeight(view)),
  }
}

/** How far below the upper edge of its node the middle of a slot is. @param row counted from 0 */
export function slotMiddle(view: NodeView, row: number, height: number): number {
  if (isBare(view)) return height / 2
  if (view.isCollapsed) return TITLE / 2
  return TITLE + PADDING + row * SLOT_ROW + SLOT_ROW / 2
}

/** Height of the title of a group, over the size of its letters. */
export const GROUP_TITLE_LINE = 1.3

/** Width of the box that stands for an edge of a subgraph. */
export const BOUNDARY_WIDTH = 140

/** Height of the box that stands for an edge of a subgraph. */
export const boundaryHeight = (slots: number): number => TITLE + 2 * PADDING + slots * SLOT_ROW

/** How far below the upper edge of that box the middle of a slot is. */
export const boundarySlotMiddle = (row: number): number => TITLE + PADDING + row * SLOT_ROW + SLOT_ROW / 2
