import {
  Background,
  BackgroundVariant,
  BaseEdge,
  type ConnectionLineComponentProps,
  type EdgeProps,
  type InternalNode,
  type NodeProps,
  ReactFlow,
  SelectionMode,
  useKeyPress,
  useStore,
  useStoreApi,
  type Viewport,
} from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, memo, useRef } from 'react'
import { CommandsHere } from '../../../ui/Page.tsx'
import { slotColour } from '../graph/colours.ts'
import type { Flow } from '../graph/flow-graph.ts'
import {
  type BoundaryNode,
  type CanvasNode,
  type FlowLink,
  type FlowNode,
  inputHandle,
  outputHandle,
  type WaypointNode,
} from '../graph/flow-types.ts'
import { SLOT_ROW, TITLE } from '../graph/geometry.ts'
import { linkPath } from '../graph/links.ts'
import { LEAST_ZOOM, MOST_ZOOM, useView } from '../graph/viewport.ts'
import { useActions, useEditorCommands, useEditorKeys } from '../keys/use-editor-keys.ts'
import { useCanvas } from '../store/canvas-store.ts'
import { CanvasOverlays } from './CanvasOverlays.tsx'
import { GroupBox } from './GroupBox.tsx'
import { NodeBox } from './NodeBox.tsx'
import { Slot } from './NodeSlots.tsx'
import { Overview } from './Overview.tsx'
import { useFocusInCanvas } from './use-focus-in-canvas.ts'
import { useLinking } from './use-linking.ts'
import { useMoving } from './use-moving.ts'
import { DetailContext, detailAt, useOverview } from './use-overview.ts'
import { usePointing } from './use-pointing.ts'
import { useVisibleLinks } from './use-visible-links.ts'

const BoundaryBox = memo(function BoundaryBox({ data: { side, slots } }: NodeProps<BoundaryNode>) {
  const isIn = side === 'inputs'
  return (
    <div className="size-full rounded-control border border-dashed border-line-strong bg-surface-2 text-small leading-5">
      <p style={{ height: TITLE }} className="flex items-center px-2 font-medium">
        {isIn ? 'Inputs' : 'Outputs'}
      </p>
      <ul className={isIn ? 'pt-1 pr-3 text-right' : 'pt-1 pl-3'}>
        {slots.map(({ name, type, isLinked }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
          <li key={at} className="relative" style={{ height: SLOT_ROW }}>
            <span title={`${name}: ${type}`} className="block truncate px-1">
              {name}
            </span>
            <span className={isIn ? 'absolute inset-y-0 -right-3' : 'absolute inset-y-0 -left-3'}>
              <Slot
                side={isIn ? 'output' : 'input'}
                id={isIn ? outputHandle(at) : inputHandle(at, name)}
                type={type}
                isLinked={isLinked}
              />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
})

const RerouteDot = memo(function RerouteDot({ data: { view }, selected }: NodeProps<FlowNode>) {
  const [input, output] = [view.inputs[0], view.outputs[0]]
  const type = output?.type ?? input?.type ?? '*'
  return (
    <div
      className={clsx(
        'size-full rounded-full border border-line-strong/70 bg-surface-2',
        selected && 'outline-2 outline-accent',
      )}
    >
      <span className="sr-only">Reroute</span>
      {input !== undefined && (
        <Slot side="input" id={inputHandle(input.at, input.name)} type={type} isLinked={input.link !== undefined} />
      )}
      {output !== undefined && (
        <Slot side="output" id={outputHandle(output.at)} type={type} isLinked={output.links.length > 0} />
      )}
    </div>
  )
})

const LinkLine = memo(function LinkLine({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<FlowLink>) {
  const path = linkPath({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, data?.points ?? [])
  return (
    <>
      <title>{data?.label}</title>
      <BaseEdge
        path={path}
        interactionWidth={16}
        className="workflow-link"
        // Only the colour, because `canvas.css` styles hovered and selected links.
        style={{ '--link': slotColour(data?.type ?? '*') } as CSSProperties}
      />
    </>
  )
})

/** The link being drawn; a detached one starts at its output. */
function LooseLine(props: ConnectionLineComponentProps<CanvasNode>) {
  const { fromX, fromY, toX, toY, fromHandle, connectionStatus } = props
  const loose = useCanvas((state) => state.loose)
  const { nodeLookup } = useStoreApi<CanvasNode>().getState()
  const start = { x: fromX, y: fromY }
  const end = { x: toX, y: toY }
  const isDetached = loose?.side === 'output' && fromHandle.type === 'target'
  const origin = isDetached ? outputPoint(nodeLookup.get(loose.from.node), loose.from.slot) : undefined
  return (
    <path
      d={loose?.side === 'input' ? linkPath(end, start, []) : linkPath(origin ?? start, end, [])}
      fill="none"
      stroke={slotColour(loose?.type ?? '*')}
      strokeWidth={3}
      strokeDasharray={connectionStatus === 'invalid' ? '4 6' : undefined}
    />
  )
}

function outputPoint(node: InternalNode<CanvasNode> | undefined, slot: number) {
  const { positionAbsolute, handleBounds } = node?.internals ?? {}
  const handle = handleBounds?.source?.find(({ id }) => id === outputHandle(slot))
  return positionAbsolute && handle && { x: positionAbsolute.x + handle.x, y: positionAbsolute.y + handle.y }
}

const Waypoint = memo(function Waypoint({ data, selected }: NodeProps<WaypointNode>) {
  return (
    <div
      style={{ background: slotColour(data.type) }}
      className={clsx('size-full rounded-full border-2 border-surface-1', selected && 'outline-2 outline-accent')}
    />
  )
})

const NODE_TYPES = { node: NodeBox, reroute: RerouteDot, box: GroupBox, waypoint: Waypoint, boundary: BoundaryBox }
const EDGE_TYPES = { link: LinkLine }
const NO_LINKS: FlowLink[] = []
const GRID: [number, number] = [20, 20]
// Below it each dot covers less than an eighth of a pixel, and painting takes long.
const DOTS_FROM = 0.4
const PAN_BUTTONS = [0, 1]
const BOX_KEYS = ['Control', 'Meta']
const MANY_KEYS = ['Shift', 'Control', 'Meta']

export function FlowCanvas({ flow, view }: { readonly flow: Flow; readonly view: Viewport }) {
  const { address } = flow
  const area = useRef<HTMLDivElement>(null)
  const detail = useStore(({ transform }) => detailAt(transform[2], flow.nodes.length))
  const hasDots = useStore(({ transform }) => transform[2] >= DOTS_FROM)
  const preferences = useCanvas((state) => state.preferences)
  const isLocked = useCanvas((state) => state.isLocked)
  const moving = useMoving(address, flow)
  const overview = useOverview(moving.nodes, detail)
  const linking = useLinking(address, flow)
  const links = useVisibleLinks(linking.links, moving.nodes)
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
          edges={detail === 'all' ? (links as FlowLink[]) : NO_LINKS}
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
          {hasDots && <Background variant={BackgroundVariant.Dots} gap={20} size={1} />}
        </ReactFlow>
        <span data-canvas-end tabIndex={-1} />
        <CanvasOverlays flow={flow} nodes={moving.nodes} actions={actions} />
        <CommandsHere commands={commands} />
      </div>
    </DetailContext>
  )
}
