import { Copy, Download, FolderInput, Maximize2, Upload } from 'lucide-react'
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
import type { Caller } from '../../../api-client/client.ts'
import { tried, useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { Button, CopyButton, IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { openText } from '../files/document-text.ts'
import { addressOf, type Tab, useEditor, useTab } from '../store/editor-store.ts'
import { assetAddress, readAsset, uploadAsset } from '../widgets/upload-asset.ts'
import { mediaKind } from './RunMedia.tsx'
import { payloadOf } from './run-queries.ts'

export type ResultActionsProps = { readonly result: RunResult }

export function ResultActions({ result }: ResultActionsProps) {
  const { platform } = useApp()
  const address = assetAddress(result.asset)
  return (
    <div className="flex items-center gap-1">
      <Tooltip text={`Save ${result.filename}`}>
        <a
          href={address}
          download={result.filename}
          aria-label={`Save ${result.filename}`}
          className="inline-flex size-7 items-center justify-center rounded-control text-ink-2 hover:bg-surface-2 hover:text-ink [&_svg]:size-4"
        >
          <Download aria-hidden />
        </a>
      </Tooltip>
      {mediaKind(result) === 'image' ? (
        <CopyPicture asset={result.asset} />
      ) : (
        <CopyButton text={new URL(address, location.href).href} what="address of the result" />
      )}
      {mediaKind(result) !== 'file' && (
        <IconButton label="Open in a window" icon={<Maximize2 />} onClick={() => platform.openWindow(address)} />
      )}
      {mediaKind(result) === 'image' && <AsInput result={result} />}
    </div>
  )
}

function CopyPicture({ asset }: Pick<RunResult, 'asset'>) {
  const app = useApp()
  const copy = () =>
    tried(app, 'The picture was not copied', async () => {
      await copyPicture(asset)
      app.store.getState().notify({ kind: 'done', text: 'The picture is on the clipboard' })
    })
  return <IconButton label="Copy picture" icon={<Copy />} onClick={() => void copy()} />
}

function AsInput({ result }: ResultActionsProps) {
  const app = useApp()
  const tab = useTab()
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  const path = useEditor((state) => state.path)
  const inputs = imageInputs(document, types, addressOf({ document, path }))
  const use = (input: ImageInput) =>
    tried(app, 'The result could not be used', async () => {
      await takeAsInput({ client: app.client, tab }, result, input)
      const text = `${result.filename} is the picture of ${input.label}`
      app.store.getState().notify({ kind: 'done', text, undo: undoLater(tab, app.store) })
    })
  const items = inputs.map((input) => ({
    label: input.label,
    icon: <Upload aria-hidden />,
    onSelect: () => void use(input),
  }))
  const detail = 'Add a Load Image node first'
  const none = { label: 'No node takes a picture', detail, disabled: true, onSelect() {} }
  return (
    <Menu groups={[items.length === 0 ? [none] : items]} align="start">
      <Button kind="quiet">
        <FolderInput aria-hidden /> Use as input
      </Button>
    </Menu>
  )
}

/**
 * PNG is the only format all browsers accept.
 * @throws Error if the browser refuses or the picture is gone
 */
async function copyPicture(asset: string): Promise<void> {
  // The promise is passed in, because awaiting it first would lose the permission that the click gives.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': readAsPng(asset) })])
}

async function readAsPng(asset: string): Promise<Blob> {
  const picture = await readAsset(asset, 'The file is no longer stored.')
  if (picture.type === 'image/png') return picture
  const bitmap = await createImageBitmap(picture)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return canvas.convertToBlob({ type: 'image/png' })
}

/**
 * Takes the result under a name that nodes can refer to.
 * @throws ApiError, Error if the result cannot be read
 */
async function takeAsInput(
  { client, tab }: { readonly client: Caller; readonly tab: Pick<Tab, 'editor'> },
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

function imageInputs(document: WorkflowDocument, types: NodeTypes, shown: GraphAddress) {
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

/** After later edits it undoes nothing, because the newest step would be another one. */
export function undoLater({ editor }: Pick<Tab, 'editor'>, app: Pick<AppStore, 'getState'>): () => void {
  const { document } = editor.getState()
  return () => {
    if (editor.getState().document === document) editor.getState().undo()
    else app.getState().notify({ kind: 'error', text: 'The graph was edited since. Undo the later edits first.' })
  }
}
