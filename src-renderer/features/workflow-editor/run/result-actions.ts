import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import {
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { setWidget } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { openText } from '../files/document-text.ts'
import type { Tab } from '../store/editor-store.ts'
import { readAsset, uploadAsset } from '../widgets/upload-asset.ts'
import { payloadOf } from './run-queries.ts'

/**
 * Uses a result as an input picture, under a name that nodes can refer to.
 * @throws ApiError, Error if the result cannot be read
 */
export async function takeAsInput(
  { client, tab }: { readonly client: Pick<ApiClient, 'call'>; readonly tab: Pick<Tab, 'editor'> },
  { asset, filename }: Pick<RunResult, 'asset' | 'filename'>,
  { at, node, name, label }: ImageInput,
): Promise<void> {
  const uploaded = await uploadAsset(client, await readAsset(asset, 'The result is no longer stored.'), filename)
  const { edit, types } = tab.editor.getState()
  const value = uploaded.name ?? filename
  edit(`Use ${value} in ${label}`, (document) => setWidget(document, at, { node, name, value, types }))
}

// The document of a run; a run that came as a payload is laid out.
function documentOf(run: Pick<RunDetail, 'document' | 'payload'>, types: NodeTypes): WorkflowDocument {
  const opened = run.document === undefined ? undefined : openText(run.document)
  if (opened?.kind === 'document') return opened.document
  return readDocument(toDocument(payloadOf(run), types))
}

/** Replaces the open document with the graph of a run, as one step of undo. */
export function loadGraph({ editor }: Pick<Tab, 'editor'>, run: RunDetail): void {
  const { edit, types, endStep } = editor.getState()
  endStep()
  edit(`Load the graph of run ${run.id}`, () => documentOf(run, types))
}

type ImageInput = ReturnType<typeof imageInputs>[number]

export function imageInputs(document: WorkflowDocument, types: NodeTypes, shown: GraphAddress) {
  const addresses: readonly GraphAddress[] = [undefined, ...subgraphsOf(document).keys()]
  const inOrder = [shown, ...addresses.filter((at) => at !== shown)]
  return inOrder.flatMap((at) =>
    (graphAt(document, at)?.nodes.items ?? []).flatMap(({ id = '', type: className = '', title }) => {
      const type = types.get(className)
      const input = type?.inputs.find(({ options }) => options.get('image_upload') === true)
      if (type === undefined || input === undefined) return []
      return [{ at, node: id, name: input.name, label: `${title ?? type.displayName} (${id})` }]
    }),
  )
}

/**
 * Undo offered in a notice. After later edits it says so and undoes nothing, because the newest step would be another
 * one.
 */
export function undoLater({ editor }: Pick<Tab, 'editor'>, app: Pick<AppStore, 'getState'>): () => void {
  const { document } = editor.getState()
  return () => {
    if (editor.getState().document === document) editor.getState().undo()
    else app.getState().notify({ kind: 'error', text: 'The graph was edited since. Undo the later edits first.' })
  }
}
