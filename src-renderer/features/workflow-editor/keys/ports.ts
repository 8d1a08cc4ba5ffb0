import type { ReactFlowInstance } from '@xyflow/react'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { GraphAddress } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import type { AppServices } from '../../../store/app-context.ts'
import type { CanvasNode, FlowLink } from '../canvas/flow-types.ts'
import type { Flow } from '../canvas/use-flow.ts'
import type { FileActions } from '../files/use-file-actions.ts'
import type { RunActions } from '../run/run-actions.ts'
import type { CanvasStore, Point } from '../store/canvas-store.ts'
import type { Tab } from '../store/editor-context.ts'

/** What the actions of the editor work with. */
export type ActionPorts = {
  readonly app: AppServices
  readonly tab: Tab
  readonly address: GraphAddress
  readonly canvas: CanvasStore
  readonly flow: ReactFlowInstance<CanvasNode, FlowLink>
  /** What is on the canvas now. */
  readonly graph: () => Flow
  /** Shows nodes; without any all of them. */
  readonly lookAt: (ids: ReadonlySet<string>) => void
  readonly files: FileActions
  readonly runs: RunActions
  /** Goes to another page. */
  readonly go: (to: string) => void
  /** Where the pointer is over the canvas, px of the window; undefined: it was not there yet. */
  readonly pointer: () => Point | undefined
  /** The middle of what is seen of the canvas, px of the window. */
  readonly middle: () => Point
  readonly newUuid: () => string
}

/** Edits the selected nodes, and says what was done. Nothing happens where none is selected. */
export function editSelected(
  { tab, canvas }: ActionPorts,
  what: string,
  change: (document: WorkflowDocument, ids: ReadonlySet<string>) => WorkflowDocument,
): void {
  const { selection, edit } = tab.editor.getState()
  if (selection.size === 0) {
    canvas.getState().say('No node is selected.')
    return
  }
  const words = `${what} ${countOf(selection.size)}`
  edit(words, (document) => change(document, selection))
  canvas.getState().say(`${words}.`)
}

/** `a node`, `3 nodes`. */
export const countOf = (count: number): string => (count === 1 ? 'a node' : `${count} nodes`)
