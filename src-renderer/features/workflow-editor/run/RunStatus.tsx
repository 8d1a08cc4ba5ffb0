import { X } from 'lucide-react'
import { useContext, useState, useSyncExternalStore } from 'react'
import { counted } from '../../../../src-main/lib/text.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Said } from '../../../ui/PageStates.tsx'
import { JobStateDot, StateDot } from '../../../ui/StateDot.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { Duration, Elapsed } from '../../../ui/Values.tsx'
import { CanvasContext } from '../store/canvas-store.ts'
import { useRuns } from '../store/editor-store.ts'
import { hasEnded } from './follow-runs.ts'
import type { ProgressOfNodes } from './node-progress.ts'
import { RunQueue } from './RunQueue.tsx'
import type { RunActions } from './run-actions.ts'
import { locatedLine, readRunError } from './run-queries.ts'

export function RunStatus({ actions }: { readonly actions: Omit<RunActions, 'run'> }) {
  const sending = useRuns((state) => state.sending)
  const active = useRuns((state) => state.active)
  const [isListed, setListed] = useState(false)
  const open = active.filter((run) => !hasEnded(run))
  const running = open.find(({ status }) => status === 'IN_PROGRESS')
  if (sending + open.length === 0) return active.length === 0 ? <LastRun /> : null
  const waiting = open.length - (running === undefined ? 0 : 1) + sending
  return (
    <div className="relative border-b border-line">
      <div className="flex items-center gap-1 py-1 pr-1 pl-3">
        <div role="status" className="flex max-w-lg min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5">
          {running !== undefined && <Running runId={running.id} />}
          {running === undefined && <Waiting isSending={open.length === 0} />}
          {waiting > (running === undefined ? 1 : 0) && <span className="text-ink-2">{`${waiting} waiting`}</span>}
        </div>
        <Button kind="quiet" onClick={() => void actions.cancel()}>
          <X aria-hidden /> Cancel
        </Button>
        {open.length > 1 && (
          <>
            <Button kind="quiet" onClick={() => void actions.cancelAll()}>
              Cancel all
            </Button>
            <Button kind="quiet" aria-expanded={isListed} onClick={() => setListed(!isListed)}>
              Queue
            </Button>
          </>
        )}
      </div>
      {isListed && open.length > 1 && <RunQueue runs={open} actions={actions} />}
      {running !== undefined && <ProgressLine />}
    </div>
  )
}

function Running({ runId }: { readonly runId: string }) {
  const startedAt = useRuns(({ head }) => (head?.runId === runId ? head.startedAt : undefined))
  const step = useRuns(({ progress }) => stepOf(progress))
  // Its worker has the job and itself waits for the server that it calls.
  const reason = useRuns(({ head }) => (head?.runId === runId ? head.waitingReason : undefined))
  return (
    <>
      {reason === undefined ? (
        <StateDot tone="running" text="Running" pulses />
      ) : (
        <StateDot tone="queued" text="Waiting" />
      )}
      {startedAt !== undefined && (
        <span className="text-ink-2 tabular-nums">
          <Elapsed since={startedAt} />
        </span>
      )}
      {step !== undefined && <span className="text-ink-2 tabular-nums">{step}</span>}
      {reason !== undefined && (
        <span className="min-w-0 text-ink-2">
          <Said text={reason} />
        </span>
      )}
    </>
  )
}

function Waiting({ isSending }: { readonly isSending: boolean }) {
  const endpointId = useRuns((state) => state.endpointId)
  const isPaused = useAppState(({ live }) => live.endpoints[endpointId ?? '']?.paused)
  const ofRun = useRuns(({ head }) => head?.waitingReason)
  const ofEndpoint = useAppState(({ live }) => live.endpoints[endpointId ?? '']?.waitingReason)
  if (isSending) return <StateDot tone="queued" text="Sending" />
  return (
    <>
      <StateDot tone="queued" text="Queued" />
      <span className="min-w-0 text-ink-2">
        <Said text={ofRun ?? ofEndpoint ?? ''} />
      </span>
      {isPaused && endpointId !== undefined && <Resume endpointId={endpointId} />}
    </>
  )
}

function Resume({ endpointId }: { readonly endpointId: string }) {
  const { client, store } = useApp()
  const resume = async () => {
    try {
      store.getState().patchEndpoint(endpointId, { paused: false })
      await client.call('endpointResume', { path: { endpointId } })
    } catch (error) {
      store.getState().patchEndpoint(endpointId, { paused: true })
      store.getState().notify({ kind: 'error', text: `${endpointId} was not resumed: ${(error as Error).message}` })
    }
  }
  return <Button onClick={() => void resume()}>Resume {endpointId}</Button>
}

function ProgressLine() {
  const share = useRuns(({ progress }) => shareDone(progress))
  return (
    <div
      role="progressbar"
      aria-label="Progress of the run"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className="absolute inset-x-0 bottom-0 h-0.5"
    >
      <div className="h-full bg-running transition-[width]" style={{ width: `${share * 100}%` }} />
    </div>
  )
}

function stepOf(progress: ProgressOfNodes): string | undefined {
  const node = [...progress.values()].find(({ state }) => state === 'running')
  // A single step says no more than that it runs.
  return node?.step === undefined || (node.steps ?? 0) <= 1 ? undefined : `step ${node.step} of ${node.steps}`
}

// Each node counts as one, because its duration is unknown.
function shareDone(progress: ProgressOfNodes): number {
  if (progress.size === 0) return 0
  const parts = [...progress.values()].map(({ state, step = 0, steps = 0 }) => {
    if (state === 'running') return steps > 0 ? step / steps : 0
    return state === 'waiting' ? 0 : 1
  })
  return parts.reduce((sum, part) => sum + part, 0) / progress.size
}

function LastRun() {
  const run = useRuns(({ shown }) => shown)
  const showResults = useShowResults()
  if (run === undefined || !hasEnded(run)) return null
  const [error] = run.errors
  return (
    <div
      role="status"
      aria-label="Last run"
      className="flex max-w-xl flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-3 py-1.5"
    >
      <JobStateDot state={run.status} />
      {run.executionMs !== undefined && (
        <span className="text-ink-2">
          <Duration ms={run.executionMs} />
        </span>
      )}
      {error === undefined ? (
        <span className="text-ink-2">{counted(run.results.length, 'result')}</span>
      ) : (
        <span className="line-clamp-2 min-w-0 text-failed-ink">{locatedLine(readRunError(error))}</span>
      )}
      {showResults !== undefined && (
        <button type="button" onClick={showResults} className="ml-auto text-accent hover:underline">
          Show results
        </button>
      )}
    </div>
  )
}

const noChanges = () => () => undefined

/** Opens the panel of results; undefined if it is visible, as next to the form of a graph. */
function useShowResults(): (() => void) | undefined {
  const canvas = useContext(CanvasContext)
  const isSideOpen = useSyncExternalStore(
    canvas?.subscribe ?? noChanges,
    () => canvas?.getState().preferences.isSideOpen ?? true,
  )
  const [search, set] = useSearchParts()
  if (canvas === undefined || (isSideOpen && search.get('side') === 'results')) return undefined
  return () => {
    canvas.getState().prefer({ isSideOpen: true })
    set({ side: 'results', run: undefined })
  }
}
