import type { NodeProps } from '@xyflow/react'
import clsx from 'clsx'
import { ChevronRight, Layers, Pin } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { payloadIdOf } from '../../../../src-main/domain/workflow/where-is.ts'
import { NoteBody } from '../notes/NoteBody.tsx'
import { useEditor } from '../store/editor-context.ts'
import { NodeWidgets } from '../widgets/NodeWidgets.tsx'
import { useDetail } from './detail.ts'
import { type FlowNode, inputHandle, outputHandle } from './flow-types.ts'
import { TITLE } from './geometry.ts'
import { NodePictures } from './NodePictures.tsx'
import { NodeProgressBar, NodeStateBadge, NodeStateMark, useNodeProgress } from './NodeProgress.tsx'
import { NodeResizer } from './NodeResizer.tsx'
import { NodeSlots, Slot } from './NodeSlots.tsx'
import { NodeTitle } from './NodeTitle.tsx'
import { nodeColours } from './node-colours.ts'
import { ProblemMark } from './ProblemMark.tsx'

/** A node: as much of it as can be seen at this zoom. */
export const NodeBox = memo(function NodeBox({ data: { view, own, hasRoom }, selected }: NodeProps<FlowNode>) {
  const detail = useDetail()
  if (detail === 'bare') return <Frame view={view} selected={selected} isBare />
  if (detail === 'plain') return <PlainNode view={view} selected={selected} />
  return <WholeNode view={view} own={own} selected={selected} hasRoom={hasRoom} />
})

type PartProps = { readonly view: NodeView; readonly selected: boolean }

type FrameProps = PartProps & { readonly isBare?: boolean; readonly children?: ReactNode }

function Frame({ view, selected, isBare = false, children }: FrameProps) {
  return (
    <div
      {...nodeColours(view)}
      data-mode={view.mode}
      className={clsx(
        'workflow-node size-full rounded-control border',
        isBare ? (selected ? 'bg-accent' : 'bg-line-strong') : 'bg-(--body)',
        view.kind === 'unknown' && 'border-2 border-dashed border-failed',
        view.kind !== 'unknown' && 'border-line-strong/70',
        selected && 'outline-2 outline-accent',
      )}
    >
      {children}
    </div>
  )
}

function PlainNode({ view, selected }: PartProps) {
  const payloadId = useEditor((state) => payloadIdOf(state.document, state.path, view.id))
  const progress = useNodeProgress(payloadId, view.kind === 'subgraph')
  return (
    <>
      <Frame view={view} selected={selected}>
        <div className="flex size-full flex-col">
          <div className="line-clamp-2 shrink-0 rounded-t-control bg-(--title) px-2 py-1 text-[26px] leading-8 font-medium">
            {view.title}
          </div>
          {progress !== undefined && <NodePictures progress={progress} hangs={false} />}
        </div>
      </Frame>
      {progress !== undefined && <NodeStateMark progress={progress} />}
    </>
  )
}

type WholeProps = PartProps & Pick<FlowNode['data'], 'own' | 'hasRoom'>

function WholeNode({ view, own, selected, hasRoom }: WholeProps) {
  const payloadId = useEditor((state) => payloadIdOf(state.document, state.path, view.id))
  const progress = useNodeProgress(payloadId, view.kind === 'subgraph')
  const isNote = view.kind === 'note' || view.kind === 'markdown'
  return (
    <>
      <Frame view={view} selected={selected}>
        <div className="flex size-full flex-col">
          <Title view={view}>
            <ProblemMark payloadId={payloadId} />
            {progress !== undefined && <NodeStateBadge progress={progress} />}
          </Title>
          {progress !== undefined && <NodeProgressBar progress={progress} />}
          {!view.isCollapsed && (
            <>
              <NodeSlots view={view} />
              {isNote ? (
                <NoteBody view={view} />
              ) : (
                <div
                  className="flex min-h-0 flex-col px-2.5 pt-0.5 pb-2"
                  style={{ flex: hasRoom ? '0 0 auto' : '1 1 0' }}
                >
                  <NodeWidgets view={own} payloadId={payloadId} />
                </div>
              )}
              {progress !== undefined && <NodePictures progress={progress} hangs={!hasRoom} />}
            </>
          )}
        </div>
      </Frame>
      {progress?.state === 'failed' && <Failure error={progress.error} />}
      {selected && !view.isCollapsed && !view.isPinned && <NodeResizer id={view.id} />}
    </>
  )
}

function Title({ view, children }: { readonly view: NodeView; readonly children: ReactNode }) {
  const isUnknown = view.kind === 'unknown'
  return (
    <div
      data-title
      style={{ height: TITLE - 1 }}
      className="flex shrink-0 items-center gap-1.5 rounded-t-control border-b border-line bg-(--title) px-2 font-medium"
    >
      {view.isCollapsed && <CollapsedSlots view={view} />}
      {view.isCollapsed && <ChevronRight aria-hidden className="size-3.5 shrink-0" />}
      {view.kind === 'subgraph' && <Layers aria-label="Subgraph" className="size-3.5 shrink-0" />}
      {view.isPinned && <Pin aria-label="Pinned" className="size-3.5 shrink-0" />}
      <NodeTitle view={view} />
      {isUnknown && <span className="shrink-0 text-small text-failed-ink">unknown class</span>}
      {view.mode !== 'always' && (
        <span className="shrink-0 text-small text-ink-2">{view.mode === 'mute' ? 'muted' : 'bypassed'}</span>
      )}
      {children}
    </div>
  )
}

// A collapsed node has one place for all links into it, and one for those out of it.
function CollapsedSlots({ view: { inputs, outputs } }: { readonly view: NodeView }) {
  const [input, output] = [inputs.find(({ link }) => link !== undefined), outputs[0]]
  return (
    <>
      {input !== undefined && <Slot side="input" id={inputHandle(input.at, input.name)} type={input.type} isLinked />}
      {output !== undefined && <Slot side="output" id={outputHandle(output.at)} type={output.type} isLinked />}
    </>
  )
}

// Below the node: its slots stay where the links to them end.
function Failure({ error }: { readonly error: string | undefined }) {
  return (
    <p
      title={error}
      className="absolute inset-x-0 top-full mt-1 line-clamp-4 rounded-control border border-failed/60 bg-failed-soft px-2 py-1 text-small text-failed-ink"
    >
      {error ?? 'It failed.'}
    </p>
  )
}
