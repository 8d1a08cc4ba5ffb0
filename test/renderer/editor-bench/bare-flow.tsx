import '@xyflow/react/dist/style.css'
import { type Edge, type Node, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import type { WorkflowDocument } from '../../../src-main/features/workflows/rules/document/document.ts'

/** The floor: the library with its own nodes, each with its size, and its own lines. */
export function BareFlow({ document }: { readonly document: WorkflowDocument }) {
  const nodes = useMemo(
    () =>
      document.nodes.items.map(({ id = '', type, pos = [0, 0], size = [200, 100] }): Node => {
        const [width, height] = size
        const handles = [
          { type: 'target' as const, position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
          { type: 'source' as const, position: Position.Right, x: width, y: height / 2, width: 1, height: 1 },
        ]
        const ends = { sourcePosition: Position.Right, targetPosition: Position.Left }
        return { id, position: { x: pos[0], y: pos[1] }, width, height, handles, ...ends, data: { label: type } }
      }),
    [document],
  )
  const edges = useMemo(
    () => document.links.items.map(({ id, from, to }): Edge => ({ id, source: from.node, target: to.node })),
    [document],
  )
  return (
    <main style={{ height: '100vh' }}>
      <ReactFlow nodes={nodes} edges={edges} fitView minZoom={0.02} proOptions={{ hideAttribution: true }} />
    </main>
  )
}
