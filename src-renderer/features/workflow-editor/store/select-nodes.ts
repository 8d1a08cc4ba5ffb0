import type { CanvasStore } from './canvas-store.ts'
import type { EditorStore } from './editor-store.ts'

/**
 * Selects nodes, and of all else on the canvas only what is named: a group or a link that stayed selected out of sight would
 * be deleted with them.
 * @param things groups, by their names on the canvas
 */
export function selectNodes(
  { editor, canvas }: { readonly editor: EditorStore; readonly canvas: CanvasStore },
  ids: Iterable<string>,
  things: Iterable<string> = [],
): void {
  editor.getState().select([...ids])
  canvas.getState().set({ things: new Set(things), links: new Set() })
}
