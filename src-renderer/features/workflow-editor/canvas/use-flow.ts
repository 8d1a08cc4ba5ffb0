import { useMemo, useState } from 'react'
import type { GraphAddress } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { useEditor } from '../store/editor-context.ts'
import { createFlowMaker } from './flow-graph.ts'
import type { CanvasNode, FlowGraph } from './flow-types.ts'

/** What is on the canvas, as the document has it. */
export type Flow = FlowGraph & { readonly address: GraphAddress; readonly byId: ReadonlyMap<string, CanvasNode> }

/** What is on the canvas. */
export function useFlow(address: GraphAddress): Flow {
  const [makeFlow] = useState(createFlowMaker)
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const made = makeFlow(document, address, types)
    return { ...made, address, byId: new Map(made.nodes.map((node) => [node.id, node])) }
  }, [makeFlow, document, address, types])
}
