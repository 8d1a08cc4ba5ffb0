/** New workflows of the library: empty ones, copies, and graphs out of files. */
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { type FileGraph, findGraphInFile } from './find-graph-in-file.ts'
import { workflowName } from './workflow-name.ts'

/** The text of a document with nothing in it. */
export const EMPTY_DOCUMENT = JSON.stringify({
  last_node_id: 0,
  last_link_id: 0,
  nodes: [],
  links: [],
  groups: [],
  config: {},
  extra: {},
  version: 0.4,
})

/** What became of files that were opened. */
export type AddedFiles = {
  readonly added: readonly WorkflowView[]
  /** Pictures without a graph, which a node could load. */
  readonly images: readonly { readonly file: File; readonly why: string }[]
  /** Why others were not added, each for a person. */
  readonly refused: readonly string[]
}

/** Adds a workflow that nobody has saved yet. */
export function addDraft(client: Pick<ApiClient, 'call'>, name: string, text: string): Promise<WorkflowView> {
  return client.call('workflowCreate', { body: { name: workflowName(name), text, draft: true } })
}

/** Adds the graphs of files, each as it is in its file. */
export async function addFiles(client: Pick<ApiClient, 'call'>, files: readonly File[]): Promise<AddedFiles> {
  const added: WorkflowView[] = []
  const images: { readonly file: File; readonly why: string }[] = []
  const refused: string[] = []
  for (const file of files) {
    try {
      const found: FileGraph = await findGraphInFile(file)
      if (found.kind === 'graph')
        added.push(await client.call('workflowCreate', { body: { name: found.name, text: found.text } }))
      else if (found.isImage) images.push({ file, why: found.why })
      else refused.push(found.why)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      refused.push(`${file.name}: ${error.message}`)
    }
  }
  return { added, images, refused }
}

/** Files that may hold a graph, for a choice of files. */
export const GRAPH_FILES =
  '.json,.png,.webp,.avif,.jpg,.jpeg,.svg,.mp4,.mov,.webm,.flac,.mp3,.ogg,.latent,.safetensors,.glb'
