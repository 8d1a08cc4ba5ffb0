import * as Popover from '@radix-ui/react-popover'
import { useStore } from '@xyflow/react'
import { AlignStartVertical, Ban, Group, Layers, Palette } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { type CanvasNode, isDocumentNode } from '../graph/flow-types.ts'
import type { Box } from '../graph/geometry.ts'
import { boundsOfNodes } from '../graph/viewport.ts'
import { ColourSwatches } from '../inspector/InspectorFields.tsx'
import type { EditorActions } from '../keys/create-actions.ts'
import { type ActionId, shortcutOf } from '../keys/shortcuts.ts'
import { useCanvas } from '../store/canvas-store.ts'

type SelectionBarProps = {
  readonly nodes: readonly CanvasNode[]
  readonly actions: EditorActions
}

export function SelectionBar({ nodes, actions }: SelectionBarProps) {
  const selected = useMemo(() => nodes.filter((node) => node.selected === true && isDocumentNode(node)), [nodes])
  const isLocked = useCanvas((state) => state.isLocked)
  const isBusy = useCanvas(({ overlay, loose }) => overlay !== undefined || loose !== undefined)
  const bounds = useMemo(() => boundsOfNodes(selected), [selected])
  if (bounds === undefined || isLocked || isBusy) return null
  return (
    <AboveBox bounds={bounds}>
      <Tools selected={selected} actions={actions} />
    </AboveBox>
  )
}

// Bar size, and its margin to the canvas edges, px.
const [WIDTH, HEIGHT] = [168, 34]
const ABOVE = 8
const EDGE = 8
const CONTROLS = 48
const RUN_BAR = 64

// Moves with each frame; its content is passed in to avoid redraws.
function AboveBox({ bounds, children }: { readonly bounds: Box; readonly children: ReactNode }) {
  const [left, top] = useStore(
    ({ transform: [x, y, zoom], width, height }) => {
      const middle = (bounds.x + bounds.width / 2) * zoom + x
      const above = bounds.y * zoom + y - HEIGHT - ABOVE
      const below = (bounds.y + bounds.height) * zoom + y + ABOVE
      // Below the nodes if there is no room above, else over them.
      const isBelow = above < CONTROLS && below + HEIGHT < height - RUN_BAR
      const across = Math.max(EDGE, Math.min(middle - WIDTH / 2, width - WIDTH - EDGE))
      return [across, isBelow ? below : Math.max(CONTROLS, above)] as const
    },
    (one, other) => one[0] === other[0] && one[1] === other[1],
  )
  // Hidden if the nodes are out of view, to avoid covering others.
  const isAway = useStore(
    ({ transform: [, y, zoom], height }) =>
      (bounds.y + bounds.height) * zoom + y < CONTROLS || bounds.y * zoom + y > height,
  )
  if (isAway) return null
  return (
    <div
      role="toolbar"
      aria-label="Selection"
      style={{ translate: `${left}px ${top}px`, width: WIDTH, height: HEIGHT }}
      className="absolute top-0 left-0 z-10 flex items-center justify-between rounded-control border border-line bg-surface-1 p-0.5 shadow-float"
    >
      {children}
    </div>
  )
}

function Tools({ selected, actions }: { readonly selected: readonly CanvasNode[]; readonly actions: EditorActions }) {
  const views = selected.flatMap((node) => (isDocumentNode(node) ? node.data.view : []))
  const isOne = selected.length === 1
  const arrange = (ids: readonly ActionId[]) =>
    ids.map((id) => ({ label: shortcutOf(id)?.name ?? id, disabled: isOne, onSelect: actions[id] }))
  return (
    <>
      <Popover.Root>
        <Popover.Trigger asChild>
          <IconButton label="Colour" icon={<Palette />} />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            aria-label="Colour of the selection"
            sideOffset={4}
            collisionPadding={8}
            className="enters z-40 w-40 rounded-control border border-line bg-surface-1 p-2 shadow-float"
          >
            <ColourSwatches views={views} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      <IconButton
        label="Bypass on or off (Ctrl+B)"
        icon={<Ban />}
        aria-pressed={views.length > 0 && views.every(({ mode }) => mode === 'bypass')}
        onClick={actions.bypass}
      />
      <Menu
        align="start"
        groups={[
          arrange(['alignLeft', 'alignRight', 'alignTop', 'alignBottom']),
          arrange(['distributeAcross', 'distributeDown', 'layOut']),
        ]}
      >
        <IconButton label={isOne ? 'Align: select several nodes' : 'Align'} icon={<AlignStartVertical />} />
      </Menu>
      <IconButton label="Group (Ctrl+G)" icon={<Group />} onClick={actions.group} />
      <IconButton label="Create a subgraph (Ctrl+Shift+E)" icon={<Layers />} onClick={actions.subgraph} />
    </>
  )
}
