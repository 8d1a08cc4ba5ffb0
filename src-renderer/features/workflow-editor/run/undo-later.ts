import type { AppStore } from '../../../store/app-store.ts'
import type { Tab } from '../store/editor-context.ts'

/**
 * What a notice offers to take back the step that was just done. Where more was edited since, it says so and undoes nothing:
 * the newest step would be another one.
 */
export function undoLater({ editor }: Pick<Tab, 'editor'>, app: Pick<AppStore, 'getState'>): () => void {
  const { document } = editor.getState()
  return () => {
    if (editor.getState().document === document) editor.getState().undo()
    else app.getState().tell({ kind: 'error', text: 'The graph was edited since. Undo the later edits first.' })
  }
}
