import '@xyflow/react/dist/base.css'
import {
  Background,
  BackgroundVariant,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeChange,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, memo, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react'
import { type Box, type Corner, layOutBoxes } from './layout.ts'

type GraphBoxNode = Node<{ readonly content: ReactNode }, 'box'>

const GraphBox = memo(function GraphBox({ data, selected }: NodeProps<GraphBoxNode>) {
  return (
    <div
      className={clsx(
        'size-full overflow-hidden rounded-control border bg-surface-1',
        selected ? 'border-accent outline-1 outline-accent' : 'border-line-strong/60 hover:border-line-strong',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="invisible" />
      {data.content}
      <Handle type="source" position={Position.Right} isConnectable={false} className="invisible" />
    </div>
  )
})

export type GraphItem = Box & { readonly content: ReactNode }

export type GraphLink = { readonly from: string; readonly to: string; readonly label: string }

/** Keep `items` and `links` stable between renders. */
export type GraphProps = {
  readonly label: string
  readonly items: readonly GraphItem[]
  readonly links: readonly GraphLink[]
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}

const NODE_TYPES = { box: GraphBox }
const FIT = { padding: 0.08, maxZoom: 1 } as const
// Texts for screen readers; the defaults of the library mention deleting.
const LABELS = { 'node.a11yDescription.default': 'Press Enter to select it.' }
const LABEL_CHARACTER_PX = 7
const LABEL_SPACE_PX = 24

const COLOURS = {
  '--xy-edge-stroke': 'var(--line-strong)',
  '--xy-background-pattern-color': 'var(--line)',
  '--xy-controls-button-background-color': 'var(--surface-1)',
  '--xy-controls-button-background-color-hover': 'var(--surface-2)',
  '--xy-controls-button-color': 'var(--ink)',
  '--xy-controls-button-border-color': 'var(--line)',
  '--xy-edge-label-background-color': 'var(--surface-0)',
  '--xy-edge-label-color': 'var(--ink-2)',
} as CSSProperties

export function GraphView({ label, items, links, selected, onSelect }: GraphProps) {
  const positions = useMemo(
    () =>
      layOutBoxes(
        items,
        links.map(({ from, to, label: words }) => ({
          from,
          to,
          labelWidth: words.length * LABEL_CHARACTER_PX + LABEL_SPACE_PX,
        })),
      ),
    [items, links],
  )
  const nodes = useMemo(
    () =>
      items.map(
        ({ id, width, height, content }): GraphBoxNode => ({
          id,
          type: 'box',
          position: positions[id] ?? { x: 0, y: 0 },
          width,
          height,
          data: { content },
          selected: id === selected,
          ariaRole: 'button',
        }),
      ),
    [items, positions, selected],
  )
  const movedByHand = useRef(false)
  const edges = useMemo(() => links.map(toEdge), [links])
  const onNodesChange = (changes: readonly NodeChange<GraphBoxNode>[]) => {
    const chosen = changes.find((change) => change.type === 'select' && change.selected)
    if (chosen?.type === 'select') onSelect(chosen.id)
  }
  return (
    <section aria-label={label} className="size-full">
      <ReactFlow
        style={COLOURS}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onMoveStart={(event) => {
          // Moves by the graph itself come without an event.
          if (event !== null) movedByHand.current = true
        }}
        minZoom={0.1}
        ariaLabelConfig={LABELS}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        preventScrolling={false}
        zoomOnScroll={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background variant={BackgroundVariant.Dots} gap={16} size={1} />
        <FitToRoom positions={positions} isLeftAlone={movedByHand} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </section>
  )
}

type FitToRoomProps = {
  readonly positions: Readonly<Record<string, Corner>>
  readonly isLeftAlone: RefObject<boolean>
}

function FitToRoom({ positions, isLeftAlone }: FitToRoomProps) {
  const { fitView } = useReactFlow()
  const room = useStore(({ width, height }) => `${width} ${height}`)
  // biome-ignore lint/correctness/useExhaustiveDependencies: fits when the room or the graph changes
  useEffect(() => {
    if (!isLeftAlone.current) void fitView(FIT)
  }, [fitView, isLeftAlone, room, positions])
  return null
}

function toEdge({ from, to, label }: GraphLink): Edge {
  return {
    id: `${from} ${to}`,
    source: from,
    target: to,
    label,
    labelStyle: { fontSize: 12, fill: 'var(--ink-2)' },
    labelBgStyle: { fill: 'var(--surface-0)' },
    markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)', width: 18, height: 18 },
    focusable: false,
    selectable: false,
  }
}
