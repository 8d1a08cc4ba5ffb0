import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, ChevronsUp, X } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import type { RunActions } from './run-actions.ts'

export type RunQueueProps = {
  readonly runs: readonly RunView[]
  readonly actions: Pick<RunActions, 'cancelOne' | 'moveToFront' | 'swapPositions'>
}

export function RunQueue({ runs, actions }: RunQueueProps) {
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

type MovesProps = Pick<RunQueueProps, 'actions'> & {
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
