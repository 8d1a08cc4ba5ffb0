import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Redo2, SquareSlash, SunMoon, Undo2, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, type SyntheticEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { setWidget } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { WideDialog } from '../../../ui/WideDialog.tsx'
import { addressOf, useTab } from '../store/editor-store.ts'
import { MaskCanvas, type MaskCanvasProps } from './MaskCanvas.tsx'
import { type Brush, createMaskHistory, emptyMask, inverted, type Mask } from './mask.ts'
import { type MaskedPicture, readMasked, storeMasked } from './masked-picture.ts'

export type MaskDialogProps = {
  readonly node: string
  readonly input: string
  readonly value: string
  readonly onClose: () => void
}

// React passes events of a dialog to the page behind as if they were on the canvas.
const stopEvent = (event: SyntheticEvent) => event.stopPropagation()
const NO_PROPAGATION = {
  onPointerDown: stopEvent,
  onPointerMove: stopEvent,
  onPointerUp: stopEvent,
  onDoubleClick: stopEvent,
  onContextMenu: stopEvent,
}

export function MaskDialog({ node, input, value, onClose }: MaskDialogProps) {
  const { client, store } = useApp()
  const { editor } = useTab()
  const queries = useQueryClient()
  const [isChanged, setChanged] = useState(false)
  const [asks, setAsks] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['mask', value],
    queryFn: async () => {
      const picture = await readMasked(client, value)
      return { picture, history: createMaskHistory(picture.mask) }
    },
    // The data is painted in place, so another dialog needs its own.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    structuralSharing: false,
  })
  const close = () => (isChanged ? setAsks(true) : onClose())
  async function save(picture: MaskedPicture, mask: Mask): Promise<void> {
    setSaving(true)
    try {
      const uploaded = await storeMasked(client, picture, mask)
      const name = uploaded.name ?? value
      queries.setQueryData(['asset', name], { assets: [uploaded] })
      void queries.invalidateQueries({ queryKey: ['assets'] })
      const { edit, types } = editor.getState()
      const at = addressOf(editor.getState())
      edit('Edit the mask', (document) => setWidget(document, at, { node, name: input, value: name, types }))
      onClose()
    } catch (problem) {
      setSaving(false)
      store.getState().notify({ kind: 'error', text: `The mask was not saved: ${(problem as Error).message}` })
    }
  }
  return (
    <WideDialog title={`Mask of ${value}`} size="window" onClose={close} {...NO_PROPAGATION}>
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined ? (
        error === null && <p className="text-ink-2">Reading the picture …</p>
      ) : (
        <Painting {...data} onChanged={() => setChanged(true)} />
      )}
      <div className="flex items-center justify-between gap-4">
        <p className="text-small text-ink-2">
          Painted areas are masked: the worker changes them. [ and ] size the brush, E switches to erasing and back.
        </p>
        <div className="flex gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="main"
            disabled={data === undefined || isSaving}
            onClick={() => data && void save(data.picture, data.history.mask())}
          >
            {isSaving ? 'Saving' : 'Save the mask'}
          </Button>
        </div>
      </div>
      <Confirm open={asks} onOpenChange={setAsks} action="Discard changes" onConfirm={onClose}>
        Everything painted since the mask was opened is lost.
      </Confirm>
    </WideDialog>
  )
}

type PaintingProps = Pick<MaskCanvasProps, 'picture' | 'history'> & { readonly onChanged: () => void }

const [LEAST_ZOOM, MOST_ZOOM] = [0.02, 32]
const ZOOM_STEP = 1.25
const PERCENT = 100
const LARGEST_BRUSH = 500
const MARGIN_PX = 8

function Painting({ picture, history, onChanged }: PaintingProps) {
  const { width, height } = picture
  const [brush, setBrush] = useState<Brush>(() => ({ size: firstSize(picture), hardness: 0.8, erases: false }))
  const [zoom, setZoom] = useState(1)
  const [version, setVersion] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  const onZoom = useCallback(
    (factor: number) => setZoom((before) => Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, before * factor))),
    [],
  )
  const fit = useCallback(() => {
    const { clientWidth = 0, clientHeight = 0 } = scroller.current ?? {}
    if (clientWidth > 0) setZoom(Math.min((clientWidth - MARGIN_PX) / width, (clientHeight - MARGIN_PX) / height))
  }, [width, height])
  useEffect(fit, [fit])
  const onStep = () => {
    setVersion((before) => before + 1)
    onChanged()
  }
  const step = (change: () => void) => () => {
    change()
    onStep()
  }
  const [onUndo, onRedo] = [step(history.undo), step(history.redo)]
  const onInvert = step(() => history.replace(inverted(history.mask())))
  const onClear = step(() => history.replace(emptyMask(width, height)))
  const onKeyDown = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase()
    const withCtrl = event.ctrlKey || event.metaKey
    const resize = (by: number) =>
      setBrush((before) => ({ ...before, size: Math.min(LARGEST_BRUSH, Math.max(1, Math.round(before.size * by))) }))
    if (withCtrl && key === 'z') (event.shiftKey ? onRedo : onUndo)()
    else if (withCtrl && key === 'y') onRedo()
    else if (withCtrl) return
    else if (key === '[') resize(1 / 1.25)
    else if (key === ']') resize(1.25)
    else if (key === 'e') setBrush((before) => ({ ...before, erases: !before.erases }))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is within it
    <div className="flex min-h-0 flex-1 flex-col gap-3" onKeyDown={onKeyDown}>
      <div role="toolbar" aria-label="Brush and mask" className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SegmentedChoice
          label="Brush"
          choices={['Paint', 'Erase']}
          value={brush.erases ? 'Erase' : 'Paint'}
          onChange={(choice) => setBrush({ ...brush, erases: choice === 'Erase' })}
        />
        <Range
          label="Size"
          unit="px"
          min={1}
          max={LARGEST_BRUSH}
          value={brush.size}
          onChange={(size) => setBrush({ ...brush, size })}
        />
        <Range
          label="Hardness"
          unit="%"
          min={0}
          max={PERCENT}
          value={Math.round(brush.hardness * PERCENT)}
          onChange={(hardness) => setBrush({ ...brush, hardness: hardness / PERCENT })}
        />
        <div className="flex items-center">
          <IconButton label="Undo (Ctrl+Z)" icon={<Undo2 />} disabled={!history.canUndo()} onClick={onUndo} />
          <IconButton label="Redo (Ctrl+Shift+Z)" icon={<Redo2 />} disabled={!history.canRedo()} onClick={onRedo} />
          <IconButton label="Invert the mask" icon={<SunMoon />} onClick={onInvert} />
          <IconButton label="Clear the mask" icon={<SquareSlash />} onClick={onClear} />
        </div>
        <div className="ml-auto flex items-center">
          <IconButton label="Zoom out" icon={<ZoomOut />} onClick={() => onZoom(1 / ZOOM_STEP)} />
          <button
            type="button"
            title="Fit to window"
            onClick={fit}
            className="min-w-14 rounded-control text-small text-ink-2 tabular-nums hover:text-ink"
          >
            {Math.round(zoom * PERCENT)} %
          </button>
          <IconButton label="Zoom in" icon={<ZoomIn />} onClick={() => onZoom(ZOOM_STEP)} />
        </div>
      </div>
      <div ref={scroller} className="flex min-h-0 flex-1 overflow-auto rounded-control bg-surface-2">
        <MaskCanvas {...{ picture, history, brush, zoom, version, onStep, onZoom, scroller }} />
      </div>
    </div>
  )
}

// A twelfth of the picture, so that a face takes a few strokes.
const firstSize = ({ width, height }: MaskedPicture) =>
  Math.min(LARGEST_BRUSH, Math.max(4, Math.round(Math.min(width, height) / 12)))

type RangeProps = {
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly value: number
  readonly onChange: (value: number) => void
}

function Range({ label, unit, min, max, value, onChange }: RangeProps) {
  const id = useId()
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        value={value}
        aria-valuetext={`${value} ${unit}`}
        onChange={({ target }) => onChange(target.valueAsNumber)}
        className="w-28 accent-accent"
      />
      <span className="w-12 text-small text-ink-2 tabular-nums">
        {value} {unit}
      </span>
    </div>
  )
}
