/** What a person does in the editor with a result, or with the graph of a run. */
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import {
  readDocument,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../src-main/domain/workflow/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { setWidget } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { toDocument } from '../../../../src-main/domain/workflow/to-document.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { openText } from '../files/document-text.ts'
import type { Tab } from '../store/editor-store.ts'
import { assetAddress, uploadAsset } from '../widgets/upload-asset.ts'
import { payloadOf } from './run-queries.ts'

/**
 * Makes a result the picture of an input: it gets a name that nodes can ask for, and the input asks for it.
 * @throws ApiError, Error where the result cannot be read
 */
export async function takeAsInput(
  { client, tab }: { readonly client: Pick<ApiClient, 'call'>; readonly tab: Pick<Tab, 'editor'> },
  { asset, filename }: Pick<RunResult, 'asset' | 'filename'>,
  { at, node, name, label }: ImageInput,
): Promise<void> {
  const response = await fetch(assetAddress(asset))
  if (!response.ok) throw new Error('The result is no longer stored.')
  const uploaded = await uploadAsset(client, await response.blob(), filename)
  const { edit, types } = tab.editor.getState()
  const value = uploaded.name ?? filename
  edit(`Use ${value} in ${label}`, (document) => setWidget(document, at, { node, name, value, types }))
}

// The document that a run was made of; of one that came as a payload, that laid out.
function documentOf(run: Pick<RunDetail, 'document' | 'payload'>, types: NodeTypes): WorkflowDocument {
  if (run.document !== undefined) {
    const opened = openText(run.document)
    if (opened.kind === 'document') return opened.document
  }
  return readDocument(toDocument(payloadOf(run), types))
}

/** Puts the graph of a run in place of the open document, as one step of undo. */
export function loadGraph({ editor }: Pick<Tab, 'editor'>, run: RunDetail): void {
  const { edit, types, endStep } = editor.getState()
  endStep()
  edit(`Load the graph of run ${run.id}`, () => documentOf(run, types))
}

/** A widget that takes a picture, like that of Load Image. */
type ImageInput = {
  readonly at: GraphAddress
  readonly node: string
  /** Name of the input. */
  readonly name: string
  /** For a person: the title of the node and its id. */
  readonly label: string
}

/** The widgets of a document that take pictures, those of the graph that is shown first. */
export function imageInputs(document: WorkflowDocument, types: NodeTypes, shown: GraphAddress): readonly ImageInput[] {
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
 * What a notice offers to take back the step that was just done. Where more was edited since, it says so and undoes
 * nothing: the newest step would be another one.
 */
export function undoLater({ editor }: Pick<Tab, 'editor'>, app: Pick<AppStore, 'getState'>): () => void {
  const { document } = editor.getState()
  return () => {
    if (editor.getState().document === document) editor.getState().undo()
    else app.getState().notify({ kind: 'error', text: 'The graph was edited since. Undo the later edits first.' })
  }
}
