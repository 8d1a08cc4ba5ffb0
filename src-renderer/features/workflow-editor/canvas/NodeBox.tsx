import { type NodeProps, NodeResizeControl, type OnResizeEnd } from '@xyflow/react'
import clsx from 'clsx'
import { ChevronRight, CircleAlert, Layers, Pin, TriangleAlert } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { resizeNode } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { isMissing, type NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { nodeColours } from '../graph/colours.ts'
import { type FlowNode, inputHandle, outputHandle } from '../graph/flow-types.ts'
import { LEAST_WIDTH, TITLE } from '../graph/geometry.ts'
import { NoteBody } from '../notes/NoteBody.tsx'
import { useNodeProblems } from '../problems/use-problems.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'
import { NodeWidgets } from '../widgets/NodeWidgets.tsx'
import { NodeProgressBar, NodeStateBadge, NodeStateMark, NodeTitle, useNodeProgress } from './NodeHead.tsx'
import { NodePictures } from './NodePictures.tsx'
import { NodeSlots, Slot } from './NodeSlots.tsx'
import { useDetail } from './use-overview.ts'

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
        isMissing(view) ? 'border-2 border-dashed border-failed' : 'border-line-strong/70',
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

function WholeNode({ view, own, selected, hasRoom }: PartProps & Pick<FlowNode['data'], 'own' | 'hasRoom'>) {
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
              {progress !== undefined && hasRoom && <NodePictures progress={progress} hangs={false} />}
            </>
          )}
        </div>
      </Frame>
      {progress !== undefined && !hasRoom && !view.isCollapsed && <NodePictures progress={progress} hangs />}
      {progress?.state === 'failed' && <Failure error={progress.error} />}
      {selected && !view.isCollapsed && !view.isPinned && <NodeResizer id={view.id} />}
    </>
  )
}

function Title({ view, children }: { readonly view: NodeView; readonly children: ReactNode }) {
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
      {isMissing(view) && (
        <span className="shrink-0 text-small text-failed-ink">
          {view.kind === 'unknown' ? 'unknown class' : 'not on this endpoint'}
        </span>
      )}
      {view.mode !== 'always' && (
        <span className="shrink-0 text-small text-ink-2">{view.mode === 'mute' ? 'muted' : 'bypassed'}</span>
      )}
      {children}
    </div>
  )
}

function CollapsedSlots({ view: { inputs, outputs } }: { readonly view: NodeView }) {
  const [input, output] = [inputs.find(({ link }) => link !== undefined), outputs[0]]
  return (
    <>
      {input !== undefined && <Slot side="input" id={inputHandle(input.at, input.name)} type={input.type} isLinked />}
      {output !== undefined && <Slot side="output" id={outputHandle(output.at)} type={output.type} isLinked />}
    </>
  )
}

function Failure({ error }: { readonly error: string | undefined }) {
  return (
    <p
      title={error}
      className="hangs absolute inset-x-0 top-full mt-1 line-clamp-4 rounded-control border border-failed/60 bg-failed-soft px-2 py-1 text-small text-failed-ink"
    >
      {error ?? 'It failed.'}
    </p>
  )
}

export function ProblemMark({ payloadId }: { readonly payloadId: string }) {
  const problems = useNodeProblems(payloadId)
  if (problems.length === 0) return null
  const isError = problems.some(({ severity }) => severity === 'error')
  const problemText = problems.map(({ message }) => message).join('\n')
  const Mark = isError ? CircleAlert : TriangleAlert
  return (
    <span title={problemText} className={isError ? 'shrink-0 text-failed-ink' : 'shrink-0 text-warn-ink'}>
      <Mark aria-hidden className="size-3.5" />
      <span className="sr-only">{problemText}</span>
    </span>
  )
}

function NodeResizer({ id }: { readonly id: string }) {
  const { editor } = useTab()
  const onResizeEnd: OnResizeEnd = (_event, { width, height }) => {
    const at = addressOf(editor.getState())
    const size = [Math.round(width), Math.round(height - TITLE)] as const
    editor.getState().edit('Resize a node', (document) => resizeNode(document, at, id, size))
  }
  return (
    <NodeResizeControl
      position="bottom-right"
      minWidth={LEAST_WIDTH}
      minHeight={TITLE + 10}
      onResizeEnd={onResizeEnd}
      className="!size-3 !rounded-[3px] !border-accent !bg-surface-1"
    />
  )
}
