/**
 * The one table of editor keys, for handler, key sheet and palette. `Mod` is Ctrl or Command. Source:
 * docs/spec/comfyui.md, 8; keys without a counterpart are ours.
 */

export type Shortcut = {
  readonly id: string
  readonly name: string
  /** Any of them works; the first is shown. Empty: only in the palette and menus. */
  readonly keys: readonly string[]
  readonly inFields?: boolean
}

export const SHORTCUTS = [
  // With Shift, ComfyUI's editor runs it before all waiting jobs; an endpoint's queue cannot do that.
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
  { id: 'remove', name: 'Delete the selection', keys: ['Delete', 'Backspace'] },
  { id: 'find', name: 'Find a node', keys: ['Mod+F'], inFields: true },
  { id: 'add', name: 'Add a node', keys: ['Shift+A'] },
  { id: 'link', name: 'Link from the selected node', keys: ['C'] },
  { id: 'disconnect', name: 'Remove the links of the selected nodes', keys: [] },
  { id: 'mute', name: 'Mute or unmute', keys: ['Mod+M'] },
  { id: 'bypass', name: 'Bypass on or off', keys: ['Mod+B'] },
  { id: 'collapse', name: 'Collapse or expand', keys: ['Alt+C'] },
  { id: 'pin', name: 'Pin or unpin', keys: ['P'] },
  { id: 'group', name: 'Group', keys: ['Mod+G'] },
  { id: 'subgraph', name: 'Create a subgraph from the selection', keys: ['Mod+Shift+E'] },
  { id: 'dissolve', name: 'Unpack the selected subgraph', keys: [] },
  { id: 'enter', name: 'Open the selected subgraph', keys: ['Mod+ArrowDown'] },
  { id: 'leave', name: 'Leave the subgraph', keys: ['Mod+ArrowUp'] },
  { id: 'fit', name: 'Show all, or the selection', keys: ['.'] },
  { id: 'zoomIn', name: 'Zoom in', keys: ['Alt+=', 'Alt++'] },
  { id: 'zoomOut', name: 'Zoom out', keys: ['Alt+-'] },
  { id: 'zoomFull', name: 'Zoom to actual size', keys: ['Alt+0'] },
  { id: 'unlock', name: 'Unlock the canvas', keys: ['V'] },
  { id: 'lock', name: 'Lock the canvas', keys: ['H'] },
  { id: 'reload', name: 'Read the node classes again', keys: ['R'] },
  // A single letter is easily pressed by mistake, so none leaves the graph.
  { id: 'library', name: 'Workflows', keys: [] },
  { id: 'nodes', name: 'Show or hide the nodes', keys: ['N'] },
  { id: 'models', name: 'Models of the catalog', keys: [] },
  { id: 'assets', name: 'Show or hide inspector and results', keys: ['A'] },
  { id: 'minimap', name: 'Show or hide the overview', keys: ['Alt+M'] },
  { id: 'snap', name: 'Snap to the grid on or off', keys: [] },
  { id: 'wheel', name: 'Wheel zooms or scrolls', keys: [] },
  { id: 'layOut', name: 'Arrange automatically', keys: ['Shift+L'] },
  { id: 'alignLeft', name: 'Align left edges', keys: [] },
  { id: 'alignRight', name: 'Align right edges', keys: [] },
  { id: 'alignTop', name: 'Align upper edges', keys: [] },
  { id: 'alignBottom', name: 'Align lower edges', keys: [] },
  { id: 'distributeAcross', name: 'Distribute from left to right', keys: [] },
  { id: 'distributeDown', name: 'Distribute from top to bottom', keys: [] },
] as const satisfies readonly Shortcut[]

export type ActionId = (typeof SHORTCUTS)[number]['id']

export type Actions = Readonly<Record<ActionId, () => void>>

export const shortcutOf = (id: ActionId): Shortcut | undefined => SHORTCUTS.find((one) => one.id === id)

export const GESTURES: readonly (readonly [what: string, how: string])[] = [
  ['Move between nodes', 'Tab ← ↑ → ↓'],
  ['Move the selected nodes', 'Shift+←'],
  ['Edit the first widget', 'Enter'],
  ['Context menu of the focused item', 'Shift+F10'],
  ['Add a node', 'Double-click'],
  ['Rename a node or a group', 'Double-click its title'],
  ['Move the view', 'Space+drag'],
  ['Select with a box', 'Ctrl+drag'],
  ['Add to the selection', 'Shift+click'],
  ['Copy a node', 'Alt+drag'],
  ['Move all links of an output', 'Shift+drag'],
  ['Add a point to a link', 'Alt+click'],
  ['Disconnect a slot', 'Ctrl+Alt+click'],
]

export type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'code'>

export function actionOf(pressed: PressedKey, isTyping: boolean): ActionId | undefined {
  return SHORTCUTS.find((shortcut: Shortcut) => {
    if (isTyping && shortcut.inFields !== true) return false
    return shortcut.keys.some((keys) => isPressed(keys, pressed))
  })?.id
}

function isPressed(keys: string, pressed: PressedKey): boolean {
  const parts = keys.split(/\+(?=.)/)
  const key = parts.at(-1) ?? ''
  const has = (name: string) => parts.slice(0, -1).includes(name)
  if (has('Mod') !== (pressed.ctrlKey || pressed.metaKey) || has('Alt') !== pressed.altKey) return false
  // Punctuation needs Shift on some keyboards, such as `+` on most.
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase()
  if (!isSign && has('Shift') !== pressed.shiftKey) return false
  return keyOf(pressed) === key.toLowerCase()
}

// With Alt, some systems report another letter than the one on the key.
function keyOf({ key, code, altKey }: PressedKey): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  return altKey && letter !== undefined ? letter.toLowerCase() : key.toLowerCase()
}

export function shownKeys(keys: string): string {
  return keys.replace('Mod', 'Ctrl').replace('ArrowDown', '↓').replace('ArrowUp', '↑')
}
