/** What a person does with a result or with the graph of a run, in the editor. */
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import { readDocument, type WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { setWidget } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { toDocument } from '../../../../src-main/domain/workflow/to-document/to-document.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { openText } from '../files/document-text.ts'
import type { Tab } from '../store/editor-context.ts'
import { assetAddress, uploadAsset } from '../widgets/upload-asset.ts'
import type { ImageInput } from './image-inputs.ts'
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
  const answer = await fetch(assetAddress(asset))
  if (!answer.ok) throw new Error('The result is no longer kept.')
  const kept = await uploadAsset(client, await answer.blob(), filename)
  const { edit, types } = tab.editor.getState()
  const value = kept.name ?? filename
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

/** Puts the graph of a run in the place of the open document, as one step of undo. */
export function loadGraph({ editor }: Pick<Tab, 'editor'>, run: RunDetail): void {
  const { edit, types, endStep } = editor.getState()
  endStep()
  edit(`Load the graph of run ${run.id}`, () => documentOf(run, types))
}
