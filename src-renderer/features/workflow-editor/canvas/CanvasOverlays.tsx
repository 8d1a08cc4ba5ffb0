import { lazy, Suspense, useCallback } from 'react'
import { Button } from '../../../ui/Button.tsx'
import type { EditorActions } from '../keys/create-actions.ts'
import { AddNodeList } from '../palette/AddNodeList.tsx'
import { FindNodeList } from '../palette/FindNodeList.tsx'
import { InputList, OutputList } from '../palette/LinkLists.tsx'
import { useCanvas, useCanvasStore } from '../store/canvas-context.ts'
import { useTab } from '../store/editor-context.ts'
import { CanvasControls } from './CanvasControls.tsx'
import { CanvasMenu } from './CanvasMenu.tsx'
import type { CanvasNode } from './flow-types.ts'
import { focusNode } from './focus-node.ts'
import { Minimap } from './Minimap.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { Trail } from './Trail.tsx'
import type { Flow } from './use-flow.ts'

// With what reads and writes pictures, which few graphs need.
const MaskDialog = lazy(() => import('../mask/MaskDialog.tsx').then((loaded) => ({ default: loaded.MaskDialog })))

type CanvasOverlaysProps = {
  readonly flow: Flow
  /** As they are drawn, with what is selected and being moved. */
  readonly nodes: readonly CanvasNode[]
  readonly actions: EditorActions
}

/** What lies over the canvas: where one is, what is open, and what was just done. */
export function CanvasOverlays({ flow, nodes, actions }: CanvasOverlaysProps) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const overlay = useCanvas((state) => state.overlay)
  const hasMinimap = useCanvas(({ preferences }) => preferences.hasMinimap)
  const onClose = useCallback(() => {
    canvas.getState().set({ overlay: undefined })
    const [id] = editor.getState().selection
    if (id === undefined) return document.querySelector<HTMLElement>(ANY_NODE)?.focus({ preventScroll: true })
    if (focusNode(id)) return
    // A node that was just added is drawn with the next frame; by then somebody may have gone on to something else.
    requestAnimationFrame(() => requestAnimationFrame(() => document.activeElement === document.body && focusNode(id)))
  }, [canvas, editor])
  return (
    <>
      <Trail />
      <CanvasControls actions={actions} />
      <SelectionBar nodes={nodes} actions={actions} />
      {hasMinimap && nodes.length > 0 && <Minimap nodes={nodes} />}
      {overlay?.kind === 'add' && <AddNodeList overlay={overlay} onClose={onClose} />}
      {overlay?.kind === 'find' && <FindNodeList overlay={overlay} onClose={onClose} />}
      {overlay?.kind === 'output' && <OutputList overlay={overlay} flow={flow} onClose={onClose} />}
      {overlay?.kind === 'input' && <InputList overlay={overlay} flow={flow} onClose={onClose} />}
      {overlay?.kind === 'menu' && <CanvasMenu overlay={overlay} flow={flow} actions={actions} onClose={onClose} />}
      {overlay?.kind === 'mask' && (
        <Suspense fallback={null}>
          <MaskDialog {...overlay} onClose={onClose} />
        </Suspense>
      )}
      {flow.nodes.length === 0 && <Nothing actions={actions} />}
      <Said />
    </>
  )
}

const ANY_NODE = '.workflow-canvas .react-flow__node'

function Nothing({ actions }: { readonly actions: EditorActions }) {
  return (
    <div className="pointer-events-none absolute inset-x-4 top-1/3 flex flex-col items-center gap-3 text-center text-ink-2">
      <p>This graph is empty. Double-click anywhere to add its first node.</p>
      <div className="pointer-events-auto">
        <Button onClick={actions.add}>Add a node</Button>
      </div>
    </div>
  )
}

// What an edit did, for those who do not see it. The same words twice are told twice.
function Said() {
  const { at, words } = useCanvas((state) => state.said)
  return (
    <p aria-live="polite" className="sr-only">
      <span key={at}>{words}</span>
    </p>
  )
}
