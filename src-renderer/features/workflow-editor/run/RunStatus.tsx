import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, ChevronsUp, X } from 'lucide-react'
import { useContext, useMemo, useState, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Said } from '../../../ui/PageStates.tsx'
import { JobStateDot, StateDot } from '../../../ui/StateDot.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { Duration, Elapsed } from '../../../ui/Values.tsx'
import { CanvasContext } from '../store/canvas-store.ts'
import { useRuns } from '../store/editor-store.ts'
import { hasEnded } from './follow-runs.ts'
import type { ProgressOfNodes } from './node-progress.ts'
import type { RunActions } from './run-actions.ts'
import { locatedLine, readRunError } from './run-queries.ts'

export function RunStatus({ actions }: { readonly actions: RunActions }) {
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

function RunQueue({ runs, actions }: { readonly runs: readonly RunView[]; readonly actions: RunActions }) {
  const { ordered, before } = useQueueOrder(runs)
  return (
    <ol aria-label="Queue of this workflow" className="max-h-48 overflow-y-auto border-t border-line py-1">
      {ordered.map((run, at) => (
        <li key={run.id} className="flex items-center gap-1 py-0.5 pr-1 pl-3">
          <span className="mr-2 w-24 shrink-0">
            <JobStateDot state={run.status} />
          </span>
          <Link to={ADDRESS.run(run.id)} className="min-w-0 flex-1 truncate font-mono text-small hover:underline">
            {run.id}
          </Link>
          {run.status === 'IN_QUEUE' && (
            <Moves
              run={run}
              isFirst={before(run) === 0}
              above={ordered[at - 1]}
              below={ordered[at + 1]}
              actions={actions}
            />
          )}
          <IconButton label={`Cancel run ${run.id}`} icon={<X />} onClick={() => void actions.cancelOne(run)} />
        </li>
      ))}
    </ol>
  )
}

type MovesProps = {
  readonly actions: RunActions
  readonly run: RunView
  readonly isFirst: boolean
  readonly above: RunView | undefined
  readonly below: RunView | undefined
}

function Moves({ run, isFirst, above, below, actions }: MovesProps) {
  const partner = (one: RunView | undefined) =>
    one?.status === 'IN_QUEUE' && one.endpointId === run.endpointId ? one : undefined
  const [up, down] = [partner(above), partner(below)]
  return (
    <>
      <IconButton
        label={`Move run ${run.id} to the front of the queue`}
        icon={<ChevronsUp />}
        disabled={isFirst}
        onClick={() => void actions.moveToFront(run)}
      />
      <IconButton
        label={`Move run ${run.id} up`}
        icon={<ArrowUp />}
        disabled={!up}
        onClick={() => up && void actions.swapPositions(run, up)}
      />
      <IconButton
        label={`Move run ${run.id} down`}
        icon={<ArrowDown />}
        disabled={!down}
        onClick={() => down && void actions.swapPositions(run, down)}
      />
    </>
  )
}

function useQueueOrder(runs: readonly RunView[]) {
  const { client } = useApp()
  const endpointIds = useMemo(() => [...new Set(runs.map(({ endpointId }) => endpointId))], [runs])
  const queues = useQueries({
    queries: endpointIds.map((endpointId) => ({
      queryKey: ['queue', endpointId],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.call('jobQueue', { path: { endpointId }, signal }),
      placeholderData: keepPreviousData,
    })),
  })

  const positions = new Map(queues.flatMap(({ data }) => data?.jobs.map(({ id }, at) => [id, at] as const) ?? []))
  const rank = ({ id, status, endpointId }: RunView) =>
    status === 'IN_PROGRESS' ? [-1, 0] : [endpointIds.indexOf(endpointId), positions.get(id) ?? Number.MAX_SAFE_INTEGER]
  return {
    ordered: runs.toSorted((one, other) => {
      const [[a = 0, b = 0], [c = 0, d = 0]] = [rank(one), rank(other)]
      return a - c || b - d
    }),
    /** How many jobs wait before a run; undefined: it does not wait, or is unknown. */
    before: ({ id }: RunView): number | undefined => positions.get(id),
  }
}
