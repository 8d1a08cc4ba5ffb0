import { Copy, Download, FolderInput, Maximize2, Upload } from 'lucide-react'
import { useMemo } from 'react'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton, IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'
import { assetAddress, readAsset } from '../widgets/upload-asset.ts'
import { mediaKind } from './RunMedia.tsx'
import { imageInputs, takeAsInput, undoLater } from './result-actions.ts'

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
  const { store } = useApp()
  const { notify } = store.getState()
  const copy = () =>
    copyPicture(asset).then(
      () => notify({ kind: 'done', text: 'The picture is on the clipboard' }),
      (error: Error) => notify({ kind: 'error', text: `The picture was not copied: ${error.message}` }),
    )
  return <IconButton label="Copy picture" icon={<Copy />} onClick={() => void copy()} />
}

function AsInput({ result }: ResultActionsProps) {
  const { client, store } = useApp()
  const tab = useTab()
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  const path = useEditor((state) => state.path)
  const groups = useMemo(() => {
    const { notify } = store.getState()
    const inputs = imageInputs(document, types, addressOf({ document, path }))
    const doneText = (label: string) => `${result.filename} is the picture of ${label}`
    const items = inputs.map((input) => ({
      label: input.label,
      icon: <Upload aria-hidden />,
      onSelect: () =>
        void takeAsInput({ client, tab }, result, input).then(
          () => notify({ kind: 'done', text: doneText(input.label), undo: undoLater(tab, store) }),
          (error: Error) => notify({ kind: 'error', text: `The result could not be used: ${error.message}` }),
        ),
    }))
    const detail = 'Add a Load Image node first'
    const none = { label: 'No node takes a picture', detail, disabled: true, onSelect() {} }
    return [items.length === 0 ? [none] : items]
  }, [client, store, tab, document, types, path, result])
  return (
    <Menu groups={groups} align="start">
      <Button kind="quiet">
        <FolderInput aria-hidden /> Use as input
      </Button>
    </Menu>
  )
}

/**
 * Copies a picture as PNG, the only format all browsers accept.
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
