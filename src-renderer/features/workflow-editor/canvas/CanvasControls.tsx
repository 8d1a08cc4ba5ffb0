import { useStore } from '@xyflow/react'
import { CircleHelp, Grid3x3, Lock, LockOpen, Map as MapIcon, Maximize, Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import type { EditorActions } from '../keys/create-actions.ts'
import { GESTURES } from '../keys/shortcuts.ts'
import { useCanvas } from '../store/canvas-store.ts'

export function CanvasControls({ actions }: { readonly actions: EditorActions }) {
  const [isHelping, setHelping] = useState(false)
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100))
  const isLocked = useCanvas((state) => state.isLocked)
  const { snaps, hasMinimap } = useCanvas((state) => state.preferences)
  return (
    <div
      role="toolbar"
      aria-label="View"
      className="absolute top-2 right-2 z-10 flex items-center rounded-control border border-line bg-surface-1 p-0.5 shadow-float"
    >
      <IconButton label="Zoom out (Alt+-)" icon={<Minus />} onClick={actions.zoomOut} />
      <button
        type="button"
        title="Zoom to actual size (Alt+0)"
        onClick={actions.zoomFull}
        className="h-7 w-12 rounded-control text-small text-ink-2 hover:bg-surface-2"
      >
        {percent} %
      </button>
      <IconButton label="Zoom in (Alt+=)" icon={<Plus />} onClick={actions.zoomIn} />
      <IconButton label="Show all (.)" icon={<Maximize />} onClick={actions.fit} />
      <IconButton
        label={snaps ? 'Do not snap to the grid' : 'Snap to the grid'}
        icon={<Grid3x3 className={snaps ? 'text-accent' : ''} />}
        aria-pressed={snaps}
        onClick={actions.snap}
      />
      <IconButton
        label={isLocked ? 'Unlock the canvas (V)' : 'Lock the canvas (H)'}
        icon={isLocked ? <Lock className="text-accent" /> : <LockOpen />}
        aria-pressed={isLocked}
        onClick={isLocked ? actions.unlock : actions.lock}
      />
      <IconButton
        label="Overview (Alt+M)"
        icon={<MapIcon className={hasMinimap ? 'text-accent' : ''} />}
        aria-pressed={hasMinimap}
        onClick={actions.minimap}
        className="max-[1199px]:hidden"
      />
      <IconButton label="Mouse and keys" icon={<CircleHelp />} onClick={() => setHelping(true)} />
      {isHelping && <GestureSheet onClose={() => setHelping(false)} />}
    </div>
  )
}

function GestureSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <SidePanel open onOpenChange={onClose} title="Mouse and keys">
      <dl>
        {GESTURES.map(([what, how]) => (
          <div key={what} className="flex min-h-7 items-center justify-between gap-4">
            <dt>{what}</dt>
            <dd className="shrink-0 text-small text-ink-2">{how}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-ink-2">Press ? for all keys, and Ctrl K for every action.</p>
    </SidePanel>
  )
}
