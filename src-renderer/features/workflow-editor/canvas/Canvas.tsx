import '@xyflow/react/dist/base.css'
import './canvas.css'
import { ReactFlowProvider, useStoreApi, type Viewport } from '@xyflow/react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { GraphAddress } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { useFlow } from '../graph/flow-graph.ts'
import { type CanvasSize, firstView, LEAST_ZOOM, MOST_ZOOM, roomOf } from '../graph/viewport.ts'
import { useCanvasStore } from '../store/canvas-store.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'
import { FlowCanvas } from './FlowCanvas.tsx'

export function Canvas() {
  const { workflowId } = useTab()
  const address = useEditor(addressOf)
  const canvas = useCanvasStore()
  const room = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<CanvasSize>()
  // Computed before drawing, so that invisible nodes are never drawn.
  useLayoutEffect(() => {
    const { width = 0, height = 0 } = room.current?.getBoundingClientRect() ?? {}
    setSize(roomOf(canvas.getState(), { width, height }))
  }, [canvas])
  return (
    <div ref={room} className="workflow-canvas size-full">
      {size !== undefined && <GraphCanvas key={`${workflowId} ${address ?? ''}`} address={address} size={size} />}
    </div>
  )
}

function GraphCanvas({ address, size }: { readonly address: GraphAddress; readonly size: CanvasSize }) {
  const { editor } = useTab()
  const flow = useFlow(address)
  const [view] = useState(() => firstView(editor, flow, size))
  return (
    <ReactFlowProvider
      initialWidth={size.width}
      initialHeight={size.height}
      initialMinZoom={LEAST_ZOOM}
      initialMaxZoom={MOST_ZOOM}
    >
      <Prepared view={view}>
        <FlowCanvas flow={flow} view={view} />
      </Prepared>
    </ReactFlowProvider>
  )
}

// Geometry follows from the document (`graph/geometry.ts`); React Flow would measure visible nodes and forget others.
function Prepared({ view: { x, y, zoom }, children }: { readonly view: Viewport; readonly children: ReactNode }) {
  const store = useStoreApi()
  useState(() => store.setState({ updateNodeInternals: () => {}, transform: [x, y, zoom] }))
  return children
}
