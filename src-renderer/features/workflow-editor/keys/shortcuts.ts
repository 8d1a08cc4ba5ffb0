/**
 * Every key of the editor, once: the keys are heard, shown in the sheet and offered in the palette from this table. `Mod` is
 * Ctrl, or the command key. Source: editor research, 8; those without a counterpart there are ours.
 */

/** What a key does, and how. */
export type Shortcut = {
  readonly id: string
  readonly name: string
  /** All of them do it; the first is shown. None: it is in the palette and the menus alone. */
  readonly keys: readonly string[]
  /** Also while somebody types into a field. */
  readonly inFields?: boolean
}

/** The table. */
export const SHORTCUTS = [
  // With Shift the field's editor runs before all that waits; a queue of an endpoint has no such place.
  { id: 'run', name: 'Run', keys: ['Mod+Enter', 'Mod+Shift+Enter'], inFields: true },
  { id: 'cancel', name: 'Cancel the run', keys: ['Mod+Alt+Enter'], inFields: true },
  { id: 'runSelected', name: 'Run what the selection needs', keys: [] },
  { id: 'undo', name: 'Undo', keys: ['Mod+Z'] },
  { id: 'redo', name: 'Redo', keys: ['Mod+Y', 'Mod+Shift+Z'] },
  { id: 'save', name: 'Save', keys: ['Mod+S'], inFields: true },
  { id: 'open', name: 'Open a file', keys: ['Mod+O'], inFields: true },
  { id: 'copy', name: 'Copy', keys: ['Mod+C'] },
  { id: 'cut', name: 'Cut', keys: ['Mod+X'] },
  { id: 'paste', name: 'Paste', keys: ['Mod+V'] },
  { id: 'pasteLinked', name: 'Paste with the links into it', keys: ['Mod+Shift+V'] },
  { id: 'duplicate', name: 'Duplicate', keys: ['Mod+D'] },
  { id: 'selectAll', name: 'Select all', keys: ['Mod+A'] },
  { id: 'remove', name: 'Delete what is selected', keys: ['Delete', 'Backspace'] },
  { id: 'find', name: 'Find a node', keys: ['Mod+F'], inFields: true },
  { id: 'add', name: 'Add a node', keys: ['Shift+A'] },
  { id: 'link', name: 'Link from the selected node', keys: ['C'] },
  { id: 'disconnect', name: 'Remove the links of the selected nodes', keys: [] },
  { id: 'mute', name: 'Mute or unmute', keys: ['Mod+M'] },
  { id: 'bypass', name: 'Bypass or not', keys: ['Mod+B'] },
  { id: 'collapse', name: 'Collapse or expand', keys: ['Alt+C'] },
  { id: 'pin', name: 'Pin or unpin', keys: ['P'] },
  { id: 'group', name: 'Group', keys: ['Mod+G'] },
  { id: 'subgraph', name: 'Make a subgraph of the selection', keys: ['Mod+Shift+E'] },
  { id: 'dissolve', name: 'Dissolve the selected subgraph', keys: [] },
  { id: 'enter', name: 'Open the selected subgraph', keys: ['Mod+ArrowDown'] },
  { id: 'leave', name: 'Leave the subgraph', keys: ['Mod+ArrowUp'] },
  { id: 'fit', name: 'Show all, or the selection', keys: ['.'] },
  { id: 'zoomIn', name: 'Zoom in', keys: ['Alt+=', 'Alt++'] },
  { id: 'zoomOut', name: 'Zoom out', keys: ['Alt+-'] },
  { id: 'zoomFull', name: 'Zoom to actual size', keys: ['Alt+0'] },
  { id: 'unlock', name: 'Unlock the canvas', keys: ['V'] },
  { id: 'lock', name: 'Lock the canvas', keys: ['H'] },
  { id: 'reload', name: 'Read the classes of nodes again', keys: ['R'] },
  // A letter is struck by mistake, too, so none leads away from a graph.
  { id: 'library', name: 'Workflows', keys: [] },
  { id: 'nodes', name: 'Show or hide the nodes', keys: ['N'] },
  { id: 'models', name: 'Models of the catalog', keys: [] },
  { id: 'assets', name: 'Show or hide inspector and results', keys: ['A'] },
  { id: 'minimap', name: 'Show or hide the overview', keys: ['Alt+M'] },
  { id: 'snap', name: 'Snap to the grid, or not', keys: [] },
  { id: 'wheel', name: 'Wheel zooms, or moves', keys: [] },
  { id: 'layOut', name: 'Arrange automatically', keys: ['Shift+L'] },
  { id: 'alignLeft', name: 'Align left edges', keys: [] },
  { id: 'alignRight', name: 'Align right edges', keys: [] },
  { id: 'alignTop', name: 'Align upper edges', keys: [] },
  { id: 'alignBottom', name: 'Align lower edges', keys: [] },
  { id: 'distributeAcross', name: 'Distribute from left to right', keys: [] },
  { id: 'distributeDown', name: 'Distribute from top to bottom', keys: [] },
] as const satisfies readonly Shortcut[]

/** What can be done by a key or from the palette. */
export type ActionId = (typeof SHORTCUTS)[number]['id']

/** What each of them does. */
export type Actions = Readonly<Record<ActionId, () => void>>

/** What keys and pointer do together, for the sheet. */
export const GESTURES: readonly (readonly [what: string, how: string])[] = [
  ['Move between nodes', 'Tab ← ↑ → ↓'],
  ['Move the selected nodes', 'Shift+←'],
  ['Edit the first widget', 'Enter'],
  ['Menu of what has the focus', 'Shift+F10'],
  ['Add a node', 'Double-click'],
  ['Rename a node or a group', 'Double-click its title'],
  ['Move the view', 'Space+drag'],
  ['Select in a box', 'Ctrl+drag'],
  ['Select one more', 'Shift+click'],
  ['Copy a node', 'Alt+drag'],
  ['Move all links of an output', 'Shift+drag'],
  ['Add a point to a link', 'Alt+click'],
  ['Disconnect a slot', 'Ctrl+Alt+click'],
]
