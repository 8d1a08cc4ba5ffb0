import { type ActionId, SHORTCUTS, type Shortcut } from './shortcuts.ts'

/** What of a pressed key counts. */
export type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'code'>

/** What a pressed key does; undefined: nothing here. @param isTyping whether it was pressed in a field */
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
  // Signs may need Shift on some keyboards: `+` is one on most of them.
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase()
  if (!isSign && has('Shift') !== pressed.shiftKey) return false
  return keyOf(pressed) === key.toLowerCase()
}

// With Alt some systems give another letter than the one on the key.
function keyOf({ key, code, altKey }: PressedKey): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  return altKey && letter !== undefined ? letter.toLowerCase() : key.toLowerCase()
}

/** A key as people write it. */
export function shownKeys(keys: string): string {
  return keys.replace('Mod', 'Ctrl').replace('ArrowDown', '↓').replace('ArrowUp', '↑')
}
