import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Cpu } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import { type UsageReading, usageReading, WORKER_STATES } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { useCardKeys } from '../../ui/cards.ts'
import { PickOne } from '../../ui/form/Select.tsx'
import { EmptyState, SkeletonRows } from '../../ui/PageStates.tsx'
import { sampleCommand } from '../../ui/sample-command.ts'
import { useNow } from '../../ui/Values.tsx'
import { addReadings, type UsageHistory } from './UsageCharts.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { WorkerDrawer } from './WorkerDrawer.tsx'
import { WorkerGroupView } from './WorkerGroupView.tsx'
import {
  type DrawerPart,
  ENDED_SHOWN_MS,
  type EndedWorker,
  endedWorkers,
  groupWorkers,
  useWorkerAddress,
  type WorkerFilter,
  type WorkerGroup,
} from './worker-groups.ts'
import { WORKER_STYLES, whyNoWorker, whyNoWorkerStarts } from './worker-state.ts'

export function WorkerGrid({ endpointId }: { readonly endpointId?: string }) {
  const address = useWorkerAddress(endpointId)
  const { filter } = address
  const loaded = useAppState((state) => state.live.loaded)
  const endpoints = useAppState(useShallow((state) => Object.values(state.live.endpoints)))
  const workers = useAppState(useShallow((state) => Object.values(state.live.workers)))
  const ended = useEndedWorkers(filter.endpointId)
  const usage = useUsageHistory(filter.endpointId)
  const groups = useMemo(() => groupWorkers({ endpoints, workers, ended }, filter), [endpoints, workers, ended, filter])
  const toWorker = useCallback((worker: string) => address.with({ worker, part: undefined }), [address.with])
  const toPart = (part: DrawerPart) => address.with({ part: part === 'about' ? undefined : part })
  const cards = useRef<HTMLDivElement>(null)
  useCardKeys('Workers', cards)
  const isAlone = endpointId !== undefined
  const one = endpoints.find(({ id }) => id === filter.endpointId)
  if (!loaded) return <SkeletonRows rows={8} />
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {!isAlone && endpoints.length > 0 && (
          <PickOne
            label="Endpoint"
            any="All endpoints"
            value={filter.endpointId}
            choices={endpoints.map(({ id, name }) => [id, name] as const)}
            onChange={(endpoint) => address.change({ endpoint })}
          />
        )}
        <PickOne
          label="State"
          any="All states"
          value={filter.state}
          choices={STATES.map((state) => [state, WORKER_STYLES[state].text] as const)}
          onChange={(state) => address.change({ state })}
        />
      </div>
      {groups.length === 0 && (
        <NoWorkers
          endpoint={one}
          filter={filter}
          hasEndpoints={endpoints.length > 0}
          onClear={() => address.change({ state: undefined, endpoint: undefined })}
        />
      )}
      {!isAlone && groups.some(isIdle) && (
        <p className="text-ink-2">Idle endpoints have no worker: a worker starts when work arrives.</p>
      )}
      <div ref={cards} className="flex flex-wrap gap-6">
        {groups.map((group) => (
          <WorkerGroupView
            key={group.endpointId}
            group={group}
            usage={usage}
            toWorker={toWorker}
            isAlone={isAlone}
            showsEnded={filter.state === 'ended'}
          />
        ))}
      </div>
      {address.opened !== undefined && (
        <WorkerDrawer
          key={address.opened}
          workerId={address.opened}
          part={address.part}
          ended={ended.find(({ id }) => id === address.opened)}
          points={usage.get(address.opened)}
          toPart={toPart}
          onClose={() => address.change({ worker: undefined, part: undefined })}
        />
      )}
    </>
  )
}

const isIdle = ({ workers, endpoint }: WorkerGroup) =>
  workers.length === 0 && endpoint !== undefined && whyNoWorkerStarts(endpoint) === undefined

const NOTHING: UsageHistory = new Map()

function useUsageHistory(endpointId: string | undefined): UsageHistory {
  const { client } = useApp()
  const [history, setHistory] = useState(NOTHING)
  useEffect(() => {
    setHistory(NOTHING)
    return client.follow<UsageReading>({
      operation: 'workerUsage',
      query: (last) => ({ endpoint: endpointId, after: last?.at ?? 0 }),
      event: 'usage',
      schema: usageReading,
      onItems: (readings) => setHistory((before) => addReadings(before, readings)),
    })
  }, [client, endpointId])
  return history
}

const NEWEST = 500
const POLL_EVERY_MS = 30_000

function useEndedWorkers(endpointId: string | undefined): readonly EndedWorker[] {
  const { client, platform } = useApp()
  const now = useNow(POLL_EVERY_MS)
  const { data } = useQuery({
    queryKey: ['ended-workers', endpointId],
    queryFn: ({ signal }) => {
      // Twice as far back, to know when ended workers started.
      const query = {
        endpoint: endpointId,
        kinds: 'scale,crash,worker',
        from: platform.now() - 2 * ENDED_SHOWN_MS,
        limit: NEWEST,
      }
      return client.call('fleetEventList', { query, signal })
    },
    placeholderData: keepPreviousData,
  })
  return useMemo(
    () => endedWorkers(data?.events ?? []).filter(({ endedAt }) => now - endedAt < ENDED_SHOWN_MS),
    [data, now],
  )
}

const STATES = WORKER_STATES.filter((state) => state !== 'throttled')

type NoWorkersProps = {
  readonly endpoint: LiveEndpoint | undefined
  readonly filter: WorkerFilter
  readonly hasEndpoints: boolean
  readonly onClear: () => void
}

function NoWorkers({ endpoint, filter, hasEndpoints, onClear }: NoWorkersProps) {
  const [, go] = useLocation()
  if (filter.state !== undefined)
    return (
      <EmptyState icon={<Cpu />} action={<Button onClick={onClear}>Show all workers</Button>}>
        No worker {endpoint === undefined ? '' : `of ${endpoint.name} `}is in the state “
        {WORKER_STYLES[filter.state].text}” now.
      </EmptyState>
    )
  if (endpoint !== undefined) return <NoneOfEndpoint endpoint={endpoint} />
  if (filter.endpointId !== undefined)
    return (
      <EmptyState icon={<Cpu />} action={<Button onClick={onClear}>Show all workers</Button>}>
        There is no endpoint {filter.endpointId}, so it has no worker.
      </EmptyState>
    )
  return hasEndpoints ? (
    <EmptyState icon={<Cpu />} command="drydock workers" action={<Link to={ADDRESS.endpoints}>See the endpoints</Link>}>
      No workers are running: no endpoint has work. A worker starts when a job arrives, and stops when there are none
      for a while.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<Cpu />}
      command="drydock endpoint create hello --handler handler.py"
      action={<Button onClick={() => go(`${ADDRESS.endpoints}?new=handler`)}>New endpoint</Button>}
    >
      Workers run the jobs of endpoints, and there are no endpoints yet.
    </EmptyState>
  )
}

function NoneOfEndpoint({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const [, go] = useLocation()
  const { resume } = useWorkerActions()
  const { id, paused, workersMax } = endpoint
  return (
    <EmptyState
      icon={<Cpu />}
      command={paused ? `drydock endpoint resume ${id}` : sampleCommand('run', id)}
      action={
        paused ? (
          <Button onClick={() => void resume(endpoint)}>Resume {endpoint.name}</Button>
        ) : workersMax === 0 ? (
          <Button onClick={() => go(ADDRESS.endpoint(id, 'settings'))}>Open the settings</Button>
        ) : (
          <Button onClick={() => go(ADDRESS.endpoint(id, 'requests'))}>Send a request</Button>
        )
      }
    >
      {whyNoWorker(endpoint)}
    </EmptyState>
  )
}
