import { type ConnectionLineComponentProps, useStoreApi } from '@xyflow/react'
import { slotColour } from '../graph/colours.ts'
import { type CanvasNode, outputHandle } from '../graph/flow-types.ts'
import { linkPath } from '../graph/links.ts'
import { useCanvas } from '../store/canvas-store.ts'

/** The link being drawn; a detached one starts at its output. */
export function LooseLine({
  fromX,
  fromY,
  toX,
  toY,
  fromHandle,
  connectionStatus,
}: ConnectionLineComponentProps<CanvasNode>) {
  const loose = useCanvas((state) => state.loose)
  const store = useStoreApi<CanvasNode>()
  const start = { x: fromX, y: fromY }
  const end = { x: toX, y: toY }
  const isFromInput = loose?.side === 'input'
  const origin = loose?.side === 'output' && fromHandle.type === 'target' ? outputPoint(store, loose.from) : undefined
  return (
    <path
      d={isFromInput ? linkPath(end, start, []) : linkPath(origin ?? start, end, [])}
      fill="none"
      stroke={slotColour(loose?.type ?? '*')}
      strokeWidth={3}
      strokeDasharray={connectionStatus === 'invalid' ? '4 6' : undefined}
    />
  )
}

function outputPoint(
  store: ReturnType<typeof useStoreApi<CanvasNode>>,
  { node, slot }: { node: string; slot: number },
) {
  const inner = store.getState().nodeLookup.get(node)
  const handle = inner?.internals.handleBounds?.source?.find(({ id }) => id === outputHandle(slot))
  if (inner === undefined || handle === undefined) return undefined
  const { x, y } = inner.internals.positionAbsolute
  return { x: x + handle.x, y: y + handle.y }
}
