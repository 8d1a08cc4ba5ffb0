import { Redo2, SquareSlash, SunMoon, Undo2, ZoomIn, ZoomOut } from 'lucide-react'
import { useId } from 'react'
import { IconButton } from '../../../ui/Button.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import type { Brush, MaskHistory } from './mask.ts'

export type MaskToolsProps = {
  readonly brush: Brush
  readonly onBrush: (brush: Brush) => void
  readonly zoom: number
  readonly onZoom: (factor: number) => void
  readonly onFit: () => void
  readonly history: Pick<MaskHistory, 'canUndo' | 'canRedo'>
  readonly onUndo: () => void
  readonly onRedo: () => void
  readonly onInvert: () => void
  readonly onClear: () => void
}

/** Largest brush size, px. */
export const LARGEST_BRUSH = 500
const ZOOM_STEP = 1.25
const PERCENT = 100

export function MaskTools({ brush, onBrush, zoom, onZoom, onFit, history, ...does }: MaskToolsProps) {
  const { onUndo, onRedo, onInvert, onClear } = does
  return (
    <div role="toolbar" aria-label="Brush and mask" className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <SegmentedChoice
        label="Brush"
        choices={['Paint', 'Erase']}
        value={brush.erases ? 'Erase' : 'Paint'}
        onChange={(choice) => onBrush({ ...brush, erases: choice === 'Erase' })}
      />
      <Range
        label="Size"
        unit="px"
        min={1}
        max={LARGEST_BRUSH}
        value={brush.size}
        onChange={(size) => onBrush({ ...brush, size })}
      />
      <Range
        label="Hardness"
        unit="%"
        min={0}
        max={PERCENT}
        value={Math.round(brush.hardness * PERCENT)}
        onChange={(hardness) => onBrush({ ...brush, hardness: hardness / PERCENT })}
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
          onClick={onFit}
          className="min-w-14 rounded-control text-small text-ink-2 tabular-nums hover:text-ink"
        >
          {Math.round(zoom * PERCENT)} %
        </button>
        <IconButton label="Zoom in" icon={<ZoomIn />} onClick={() => onZoom(ZOOM_STEP)} />
      </div>
    </div>
  )
}

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
