/** Draws the small pictures of workflows that no editor has drawn since they changed, like those of the command line. */
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import { openText } from './document-text.ts'
import type { NodeTypesCache } from './node-types-cache.ts'
import { renderThumbnail } from './picture/render-graph.ts'

type DrawnWorkflow = Pick<WorkflowView, 'id' | 'version' | 'draft'>

/** Draws pictures one after the other, what was asked for last first; each text of a workflow once as long as the window lives. */
export type MissingThumbnails = {
  /** @returns the asset that shows it now; undefined where there is no new one */
  readonly draw: (workflow: DrawnWorkflow) => Promise<string | undefined>
}

/** Makes one that has drawn nothing. */
export function createMissingThumbnails(client: Pick<ApiClient, 'call'>, types: NodeTypesCache): MissingThumbnails {
  const tried = new Set<string>()
  const waiting: (() => Promise<void>)[] = []
  let isDrawing = false

  async function drawOne(workflowId: string): Promise<string | undefined> {
    const path = { workflowId }
    const opened = openText((await client.call('workflowRead', { path })).text)
    if (opened.kind === 'fault') return undefined
    const picture = await renderThumbnail(opened.document, await types.read(undefined))
    const { id } = await uploadAsset(client, picture, undefined)
    await client.call('workflowUpdate', { path, body: { thumbnail: id } })
    return id
  }

  async function drawAll(): Promise<void> {
    if (isDrawing) return
    isDrawing = true
    // Whoever scrolls on looks at the last.
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next()
    isDrawing = false
  }

  return {
    draw({ id, version, draft }) {
      const text = `${id} ${version} ${draft}`
      if (tried.has(text)) return Promise.resolve(undefined)
      tried.add(text)
      return new Promise((resolve) => {
        // An extra: what cannot be drawn has no picture.
        waiting.push(() => drawOne(id).then(resolve, () => resolve(undefined)))
        void drawAll()
      })
    },
  }
}
