import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import type { OpenDocument } from './open-tabs.ts'
import { renderThumbnail } from './picture/render-graph.ts'

// Which document the picture of a tab shows; it is let go with the tab.
const drawn = new WeakMap<OpenDocument, WorkflowDocument>()

/**
 * Draws the small picture of a document for the library, where it shows another one. It is an extra: where it cannot be
 * drawn or kept, the library shows the one before.
 * @returns whether there is a new one
 */
export async function keepThumbnail(client: Pick<ApiClient, 'call'>, open: OpenDocument): Promise<boolean> {
  const { document, types } = open.tab.editor.getState()
  const { workflowId } = open.tab
  if (drawn.get(open) === document) return false
  drawn.set(open, document)
  try {
    const { id } = await uploadAsset(client, await renderThumbnail(document, types), undefined)
    if (id === open.keeper.state.getState().workflow.thumbnail) return false
    const changed = await client.call('workflowUpdate', { path: { workflowId }, body: { thumbnail: id } })
    open.keeper.setThumbnail(changed.thumbnail)
    return true
  } catch {
    return false // As said above: nothing depends on it.
  }
}
