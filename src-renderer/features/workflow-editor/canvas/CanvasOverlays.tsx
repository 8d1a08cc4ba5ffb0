import { useStore } from '@xyflow/react'
import { ChevronRight, CircleHelp, Grid3x3, Lock, LockOpen, Map as MapIcon, Maximize, Minus, Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { subgraphsOf, type WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { loadCode } from '../../../browser/load-code.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import type { Flow } from '../graph/flow-graph.ts'
import type { CanvasNode } from '../graph/flow-types.ts'
import type { EditorActions } from '../keys/create-actions.ts'
import { GESTURES } from '../keys/shortcuts.ts'
import { AddNodeList, FindNodeList, InputList, OutputList } from '../palette/NodeLists.tsx'
import { useCanvas, useCanvasStore } from '../store/canvas-store.ts'
import { useEditor, useTab } from '../store/editor-store.ts'
import { CanvasMenu } from './CanvasMenu.tsx'
import { Minimap } from './Overview.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { focusNode } from './use-focus-in-canvas.ts'

const MaskDialog = lazy(() =>
  loadCode(() => import('../mask/MaskDialog.tsx')).then((loaded) => ({ default: loaded.MaskDialog })),
)

type CanvasOverlaysProps = {
  readonly flow: Flow
  readonly nodes: readonly CanvasNode[]
  readonly actions: EditorActions
}

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
    // A new node appears in the next frame; the focus may be elsewhere by then.
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

function Said() {
  const { at, text } = useCanvas((state) => state.said)
  return (
    <p aria-live="polite" className="sr-only">
      <span key={at}>{text}</span>
    </p>
  )
}

function Trail() {
  const { editor } = useTab()
  const path = useEditor((state) => state.path)
  const document = useEditor((state) => state.document)
  if (path.length === 0) return null
  const names = namesOf(document, path)
  const leaveTo = (depth: number) => {
    for (let left = path.length; left > depth; left -= 1) editor.getState().enter(undefined)
  }
  return (
    <nav
      aria-label="Subgraphs"
      className="absolute top-2 left-2 z-10 max-w-[calc(100%-260px)] overflow-x-auto rounded-control border border-line bg-surface-1 px-2 py-1 shadow-float"
    >
      <ol className="flex items-center gap-1">
        {['Workflow', ...names].map((name, depth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the trail is its depth
          <li key={depth} className="flex items-center gap-1">
            {depth > 0 && <ChevronRight aria-hidden className="size-3.5 text-ink-2" />}
            {depth === path.length ? (
              <span aria-current="location" className="max-w-48 truncate font-medium">
                {name}
              </span>
            ) : (
              <button
                type="button"
                onClick={() => leaveTo(depth)}
                className="max-w-48 truncate text-ink-2 hover:text-ink hover:underline"
              >
                {name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function namesOf(document: WorkflowDocument, path: readonly string[]): readonly string[] {
  const definitions = subgraphsOf(document)
  let at: string | undefined
  return path.map((id) => {
    const node = graphAt(document, at)?.nodes.items.find((one) => one.id === id)
    at = node?.type
    return node?.title ?? definitions.get(at ?? '')?.name ?? 'Subgraph'
  })
}

function CanvasControls({ actions }: { readonly actions: EditorActions }) {
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
