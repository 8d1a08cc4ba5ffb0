/** The colours that nodes are given, as the field's editors write them. Source: editor research, 8. */
import type { NodeColours } from '../../../../src-main/domain/workflow/edit/node-fields.ts'

/** A colour to choose. */
export type PaletteColour = NodeColours & { readonly name: string }

/** All of them; the first is that of the theme. */
export const NODE_PALETTE: readonly PaletteColour[] = [
  { name: 'no colour', color: undefined, bgcolor: undefined },
  { name: 'red', color: '#322', bgcolor: '#533' },
  { name: 'brown', color: '#332922', bgcolor: '#593930' },
  { name: 'green', color: '#232', bgcolor: '#353' },
  { name: 'blue', color: '#223', bgcolor: '#335' },
  { name: 'pale blue', color: '#2a363b', bgcolor: '#3f5159' },
  { name: 'cyan', color: '#233', bgcolor: '#355' },
  { name: 'purple', color: '#323', bgcolor: '#535' },
  { name: 'yellow', color: '#432', bgcolor: '#653' },
  { name: 'black', color: '#222', bgcolor: '#000' },
]

/** Whether a node has a colour of the palette. */
export const hasColour = (node: NodeColours, { color, bgcolor }: NodeColours): boolean =>
  node.color?.toLowerCase() === color && node.bgcolor?.toLowerCase() === bgcolor
