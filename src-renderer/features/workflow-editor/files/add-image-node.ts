import type { Pair } from '../../../../src-main/domain/workflow/document/values.ts'
import { addNode } from '../../../../src-main/domain/workflow/edit/add-node.ts'
import { setWidget } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { Tab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { assetName, uploadAsset } from '../widgets/upload-asset.ts'

const CLASS = 'LoadImage'
const INPUT = 'image'

/**
 * Adds a node that loads a picture, as one step of undo.
 * @param pos where, in px of the canvas
 * @throws Error for a person, where the picture cannot be kept or the endpoint has no node for it
 */
export async function addImageNode(
  client: Pick<ApiClient, 'call'>,
  { editor }: Pick<Tab, 'editor'>,
  file: File,
  pos: Pair,
): Promise<void> {
  const type = editor.getState().types.get(CLASS)
  if (type === undefined) throw new Error(`${file.name} holds no graph, and this endpoint has no node that loads it.`)
  const { name = file.name } = await uploadAsset(client, file, assetName(file))
  editor.getState().endStep()
  editor.getState().edit(`Add ${name}`, (document) => {
    const { types, path } = editor.getState()
    const at = addressOf({ document, path })
    const added = addNode(document, at, { type, pos })
    return setWidget(added.document, at, { node: added.id, name: INPUT, value: name, types })
  })
}
