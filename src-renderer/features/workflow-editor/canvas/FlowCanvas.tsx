import {
  Background,
  BackgroundVariant,
  ReactFlow,
  SelectionMode,
  useKeyPress,
  useStore,
  type Viewport,
} from '@xyflow/react'
import clsx from 'clsx'
import { useRef } from 'react'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { useActions } from '../keys/use-actions.ts'
import { useEditorCommands } from '../keys/use-editor-commands.ts'
import { useEditorKeys } from '../keys/use-editor-keys.ts'
import { useCanvas } from '../store/canvas-context.ts'
import { BoundaryBox } from './BoundaryBox.tsx'
import { CanvasOverlays } from './CanvasOverlays.tsx'
import { DetailContext, detailAt } from './detail.ts'
import { LEAST_ZOOM, MOST_ZOOM } from './first-view.ts'
import type { CanvasNode, FlowLink } from './flow-types.ts'
import { GroupBox } from './GroupBox.tsx'
import { LinkLine } from './LinkLine.tsx'
import { LooseLine } from './LooseLine.tsx'
import { NodeBox } from './NodeBox.tsx'
import { Overview } from './Overview.tsx'
import { RerouteDot } from './RerouteDot.tsx'
import type { Flow } from './use-flow.ts'
import { useFocusInCanvas } from './use-focus-in-canvas.ts'
import { useLinking } from './use-linking.ts'
import { useMoving } from './use-moving.ts'
import { useOverview } from './use-overview.ts'
import { usePointing } from './use-pointing.ts'
import { useView } from './use-view.ts'
import { Waypoint } from './Waypoint.tsx'

const NODE_TYPES = { node: NodeBox, reroute: RerouteDot, box: GroupBox, waypoint: Waypoint, boundary: BoundaryBox }
const EDGE_TYPES = { link: LinkLine }
const NO_LINKS: FlowLink[] = []
const GRID: [number, number] = [20, 20]
const PAN_BUTTONS = [0, 1]
const BOX_KEYS = ['Control', 'Meta']
const MANY_KEYS = ['Shift', 'Control', 'Meta']

/** The canvas of one graph. */
export function FlowCanvas({ flow, view }: { readonly flow: Flow; readonly view: Viewport }) {
  const { address } = flow
  const area = useRef<HTMLDivElement>(null)
  const detail = useStore(({ transform }) => detailAt(transform[2]))
  const preferences = useCanvas((state) => state.preferences)
  const isLocked = useCanvas((state) => state.isLocked)
  const moving = useMoving(address, flow)
  const overview = useOverview(moving.nodes, detail)
  const linking = useLinking(address, flow)
  const pointing = usePointing(address, flow)
  const actions = useActions(flow, area, pointing.pointer)
  const commands = useEditorCommands(actions)
  const keys = useFocusInCanvas(flow)
  const isZooming = preferences.wheel === 'zoom'
  const isPanning = useKeyPress('Space')
  useView(flow)
  useEditorKeys(actions)
  return (
    <DetailContext value={detail}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and pointer within it come from what is on the canvas */}
      <div
        ref={area}
        className={clsx('relative size-full', isPanning && 'panning')}
        onKeyDown={keys.onKeyDown}
        onKeyUp={keys.onKeyUp}
        {...pointing.area}
        onPointerMove={(event) => {
          pointing.onPointerMove(event)
          overview.onPointerMove(event)
        }}
      >
        <span data-canvas-start tabIndex={-1} />
        <ReactFlow<CanvasNode, FlowLink>
          aria-label="Graph"
          nodes={overview.shown as CanvasNode[]}
          edges={detail === 'all' ? (linking.links as FlowLink[]) : NO_LINKS}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          {...moving.handlers}
          {...linking.handlers}
          {...pointing.handlers}
          onPaneClick={overview.onPaneClick}
          onSelectionStart={(event) => {
            overview.onBoxStart()
            moving.onBoxStart(event)
          }}
          onSelectionEnd={(event) => overview.onBoxEnd(event, moving.onBoxEnd())}
          connectionLineComponent={LooseLine}
          connectionRadius={18}
          nodesDraggable={!isLocked}
          nodesConnectable={!isLocked}
          elementsSelectable={!isLocked}
          edgesFocusable={false}
          edgesReconnectable={false}
          defaultViewport={view}
          minZoom={LEAST_ZOOM}
          maxZoom={MOST_ZOOM}
          panOnDrag={PAN_BUTTONS}
          panOnScroll={!isZooming}
          zoomOnScroll={isZooming}
          zoomOnDoubleClick={false}
          selectionKeyCode={BOX_KEYS}
          selectionMode={SelectionMode.Partial}
          multiSelectionKeyCode={MANY_KEYS}
          deleteKeyCode={null}
          snapToGrid={preferences.snaps}
          snapGrid={GRID}
          onlyRenderVisibleElements
          disableKeyboardA11y
          elevateNodesOnSelect={false}
          proOptions={{ hideAttribution: true }}
        >
          {detail !== 'all' && <Overview nodes={moving.nodes} links={flow.links} />}
          {detail !== 'bare' && <Background variant={BackgroundVariant.Dots} gap={20} size={1} />}
        </ReactFlow>
        <span data-canvas-end tabIndex={-1} />
        <CanvasOverlays flow={flow} nodes={moving.nodes} actions={actions} />
        <CommandsHere commands={commands} />
      </div>
    </DetailContext>
  )
}
