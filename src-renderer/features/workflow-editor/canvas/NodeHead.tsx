import { setTitle } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { NameField } from '../files/NameField.tsx'
import { TITLE } from '../graph/geometry.ts'
import { useCanvas, useCanvasStore } from '../store/canvas-store.ts'
import { addressOf, useRuns, useTab } from '../store/editor-store.ts'
import type { NodeProgress as Progress } from '../store/run-store.ts'
import { focusNode } from './use-focus-in-canvas.ts'

export function useNodeProgress(payloadId: string, isSubgraph: boolean): Progress | undefined {
  return useRuns(({ progress }) => {
    if (!isSubgraph) return progress.get(payloadId)
    const within = [...progress].filter(([id]) => id.startsWith(`${payloadId}:`)).map(([, one]) => one)
    const first = (state: Progress['state']) => within.find((one) => one.state === state)
    return first('failed') ?? first('running') ?? first('waiting') ?? within.at(-1)
  })
}

const STATES = {
  waiting: { word: 'Waiting', dot: 'bg-queued' },
  running: { word: 'Running', dot: 'bg-running pulses' },
  cached: { word: 'Cached', dot: 'bg-cancelled' },
  done: { word: 'Done', dot: 'bg-completed' },
  failed: { word: 'Failed', dot: 'bg-failed' },
} as const

export function NodeStateBadge({ progress }: { readonly progress: Progress }) {
  const { word, dot } = STATES[progress.state]
  const { step, steps } = progress
  const isCounted = progress.state === 'running' && step !== undefined && steps !== undefined && steps > 1
  return (
    <span className="ml-auto flex shrink-0 items-center gap-1 text-small">
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {isCounted ? `${step}/${steps}` : word}
    </span>
  )
}

export function NodeStateMark({ progress }: { readonly progress: Progress }) {
  const { word, dot } = STATES[progress.state]
  return (
    <span className="absolute -top-3 -right-3 flex" title={word}>
      <span aria-hidden className={`size-7 rounded-full border-4 border-surface-0 ${dot}`} />
      <span className="sr-only">{word}</span>
    </span>
  )
}

export function NodeProgressBar({ progress }: { readonly progress: Progress }) {
  const { state, step, steps } = progress
  if (state !== 'running' || step === undefined || steps === undefined || steps === 0) return null
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuenow={step}
      aria-valuemin={0}
      aria-valuemax={steps}
      style={{ top: TITLE - 1 }}
      className="absolute inset-x-0 h-[3px] bg-line"
    >
      <div className="h-full bg-running" style={{ width: `${Math.min(100, (step / steps) * 100)}%` }} />
    </div>
  )
}

export function NodeTitle({ view: { id, title } }: { readonly view: NodeView }) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const isRenaming = useCanvas(({ renaming }) => renaming === id)
  if (!isRenaming) {
    return (
      <span className="node-title truncate" title={title}>
        {title}
      </span>
    )
  }
  return (
    <span className="nodrag min-w-0 flex-1">
      <NameField
        name={title}
        onName={(name) => {
          const { edit } = editor.getState()
          edit(`Rename ${title}`, (document) => setTitle(document, addressOf(editor.getState()), id, name))
        }}
        onEnd={(how) => {
          canvas.getState().set({ renaming: undefined })
          if (how === 'key') focusNode(id)
        }}
      />
    </span>
  )
}
