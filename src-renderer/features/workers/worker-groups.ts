import { useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { WORKER_STATES, type WorkerState, type WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { SearchParts } from '../../ui/use-address.ts'

export type WorkerFilter = {
  readonly endpointId: string | undefined
  readonly state: WorkerState | undefined
}

export type WorkerGroup = {
  readonly endpointId: string
  readonly endpoint: LiveEndpoint | undefined
  readonly workers: readonly WorkerView[]
  readonly ended: readonly EndedWorker[]
}

function stateIn(text: string | null): WorkerState | undefined {
  return WORKER_STATES.find((state) => state === text)
}

/** Endpoints with crashed or unhealthy workers first, then by name; empty ones are dropped. */
export function groupWorkers(
  all: {
    readonly endpoints: readonly LiveEndpoint[]
    readonly workers: readonly WorkerView[]
    readonly ended: readonly EndedWorker[]
  },
  { endpointId, state }: WorkerFilter,
): readonly WorkerGroup[] {
  const fits = (worker: { readonly endpointId: string }) => endpointId === undefined || worker.endpointId === endpointId
  const alive = new Set(all.workers.map(({ id }) => id))
  const workers = all.workers.filter((worker) => fits(worker) && (state === undefined || worker.state === state))
  const ended = all.ended.filter(
    (worker) => fits(worker) && (state === undefined || state === 'ended') && !alive.has(worker.id),
  )
  const endpoints = new Map(all.endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const ids = [...new Set([...workers, ...ended].map((worker) => worker.endpointId))]
  const name = (id: string) => endpoints.get(id)?.name ?? id
  return ids
    .toSorted((one, other) => name(one).localeCompare(name(other)))
    .map((id) => ({
      endpointId: id,
      endpoint: endpoints.get(id),
      workers: workers.filter((worker) => worker.endpointId === id).toSorted(inOrder),
      ended: ended.filter((worker) => worker.endpointId === id),
    }))
    .toSorted((one, other) => Number(hasTrouble(other)) - Number(hasTrouble(one)))
}

const isUnhealthy = ({ state }: WorkerView) => state === 'unhealthy'
const hasTrouble = ({ workers, ended }: WorkerGroup) =>
  workers.some(isUnhealthy) || ended.some(({ crashed }) => crashed)

const inOrder = (one: WorkerView, other: WorkerView) =>
  Number(isUnhealthy(other)) - Number(isUnhealthy(one)) ||
  one.startedAt - other.startedAt ||
  one.id.localeCompare(other.id)

export type EndedWorker = ReturnType<typeof endedWorkers>[number]

export const ENDED_SHOWN_MS = 600_000

/** Ended workers; those without `startedAt` started before these events. */
export function endedWorkers(events: readonly FleetEvent[]) {
  const startedAt = new Map(
    events.flatMap(({ workerId, event, at }) =>
      event === 'initializing' && workerId ? [[workerId, at] as const] : [],
    ),
  )
  return events.flatMap(({ workerId, endpointId, event, at, reason, kind }) =>
    event === 'ended' && workerId !== undefined
      ? [
          {
            id: workerId,
            endpointId,
            endedAt: at,
            startedAt: startedAt.get(workerId),
            reason,
            crashed: kind === 'crash',
          },
        ]
      : [],
  )
}

export const DRAWER_PARTS = ['about', 'log', 'shell'] as const

export type DrawerPart = (typeof DRAWER_PARTS)[number]

export function useWorkerAddress(endpointId: string | undefined) {
  const [path, go] = useLocation()
  const [search] = useSearchParams()
  const text = search.toString()
  return useMemo(() => {
    const params = new URLSearchParams(text)
    const withChanges = (changes: SearchParts) => {
      const next = new URLSearchParams(text)
      for (const [name, value] of Object.entries(changes))
        if (value === undefined) next.delete(name)
        else next.set(name, value)
      return next.size === 0 ? path : `${path}?${next}`
    }
    return {
      filter: { endpointId: endpointId ?? params.get('endpoint') ?? undefined, state: stateIn(params.get('state')) },
      opened: params.get('worker') ?? undefined,
      part: DRAWER_PARTS.find((one) => one === params.get('part')) ?? 'about',
      with: withChanges,
      change: (changes: SearchParts) => go(withChanges(changes)),
    }
  }, [endpointId, text, path, go])
}
