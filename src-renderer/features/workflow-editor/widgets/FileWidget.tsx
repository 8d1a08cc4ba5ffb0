import { useQuery, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { Upload } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { useApp } from '../../../store/app-context.ts'
import { ChoiceWidget } from './ChoiceField.tsx'
import { assetAddress, assetName, nameInWidget, uploadAsset } from './upload-asset.ts'
import type { ControlProps } from './widget-kind.ts'

const TYPES: Readonly<Record<string, string>> = {
  image_upload: 'image/*',
  animated_image_upload: 'image/*',
  video_upload: 'video/*',
  audio_upload: 'audio/*',
}

export function FileWidget(props: ControlProps) {
  const { name, input, size, widget, set } = props
  const { client, store } = useApp()
  const queries = useQueryClient()
  const [isOver, setOver] = useState(false)
  const [isSending, setSending] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const value = asText(widget.value) ?? ''
  const { data: assets } = useQuery({
    queryKey: ['assets'],
    queryFn: ({ signal }) => client.call('assetFind', { signal }),
  })
  // By name, because the file of a result used as input is newer than the list.
  const wanted = nameInWidget(value)
  const { data: named } = useQuery({
    queryKey: ['asset', wanted],
    queryFn: ({ signal }) => client.call('assetFind', { query: { name: wanted }, signal }),
    enabled: wanted !== '',
  })
  const asset = named?.assets[0]
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    setSending(true)
    try {
      const uploaded = await uploadAsset(client, file, assetName(file))
      const storedName = uploaded.name ?? assetName(file)
      queries.setQueryData(['asset', storedName], { assets: [uploaded] })
      void queries.invalidateQueries({ queryKey: ['assets'] })
      set(storedName)
    } catch (error) {
      store.getState().notify({ kind: 'error', text: `${file.name} could not be used: ${(error as Error).message}` })
    } finally {
      setSending(false)
    }
  }
  const names = (assets?.assets ?? []).flatMap((one) => one.name ?? [])
  const choices = [...new Set([...names, ...(input.choices ?? [])])]
  const accept = Object.entries(TYPES).find(([key]) => input.options.get(key) === true)?.[1]
  const drop = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      event.stopPropagation()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      event.stopPropagation()
      setOver(false)
      void take(event.dataTransfer.files[0])
    },
    onPaste(event: ClipboardEvent) {
      const [file] = event.clipboardData.files
      if (file === undefined) return
      event.preventDefault()
      event.stopPropagation()
      void take(file)
    },
  }
  return (
    <div
      {...drop}
      className={clsx(
        'flex min-w-0 flex-col gap-1 rounded-control',
        size === 'node' && 'min-h-0 flex-1',
        isOver && 'outline-2 outline-accent',
      )}
    >
      <div className="flex items-center gap-1">
        <div className="min-w-0 flex-1">
          <ChoiceWidget {...props} input={{ ...input, choices }} />
        </div>
        <input
          ref={picker}
          type="file"
          accept={accept}
          tabIndex={-1}
          aria-label={`File for ${name}`}
          className="sr-only"
          onChange={({ target }) => {
            void take(target.files?.[0])
            target.value = ''
          }}
        />
        <button
          type="button"
          title="Choose a file of this machine, drop one here, or paste a picture"
          aria-label={`Upload ${name}`}
          disabled={isSending}
          onClick={() => picker.current?.click()}
          className={clsx(
            'nodrag inline-flex shrink-0 items-center gap-1 rounded-control border border-line px-1.5 text-small hover:bg-surface-2 disabled:opacity-50 [&_svg]:size-3.5',
            size === 'node' ? 'h-5' : 'h-7',
          )}
        >
          <Upload aria-hidden /> {isSending ? 'Sending' : 'Upload'}
        </button>
      </div>
      {asset?.mediaType.startsWith('image/') && (
        <img
          src={assetAddress(asset.id)}
          alt={value}
          draggable={false}
          loading="lazy"
          decoding="async"
          className={clsx(
            'rounded-control bg-surface-2 object-contain',
            // Takes the remaining space of the node, whatever the size of the picture.
            size === 'node' ? 'h-0 min-h-0 w-full flex-1' : 'max-h-60',
          )}
        />
      )}
      {named !== undefined && asset === undefined && (
        <p className="text-small text-warn-ink">
          Not on this machine: the worker must have it. Upload it to send it along.
        </p>
      )}
    </div>
  )
}
