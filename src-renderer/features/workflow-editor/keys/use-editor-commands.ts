import { useMemo } from 'react'
import type { Command } from '../../../store/commands-slice.ts'
import type { EditorActions } from './create-actions.ts'
import { shownKeys } from './match-key.ts'
import { type ActionId, SHORTCUTS, type Shortcut } from './shortcuts.ts'

/** All that the editor can do, for the palette and the sheet of keys. */
export function useEditorCommands(actions: EditorActions): readonly Command[] {
  return useMemo(
    () =>
      SHORTCUTS.map(({ id, name, keys }: Shortcut & { readonly id: ActionId }): Command => {
        const [first] = keys
        const command = { id: `editor-${id}`, label: name, group: 'Editor', run: actions[id] }
        return first === undefined ? command : { ...command, keys: shownKeys(first) }
      }),
    [actions],
  )
}
