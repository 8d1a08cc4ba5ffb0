import { type KeyboardEvent, useCallback, useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useAppState } from '../../store/app-context.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { groupWorkers } from './filter-workers.ts'
import { NoWorkers } from './NoWorkers.tsx'
import { nextCard } from './next-card.ts'
import { useEndedWorkers } from './use-ended-workers.ts'
import { useUsageHistory } from './use-usage-history.ts'
import { type DrawerPart, useWorkerAddress } from './use-worker-address.ts'
import { WorkerDrawer } from './WorkerDrawer.tsx'
import { WorkerFilters } from './WorkerFilters.tsx'
import { WorkerGroupView } from './WorkerGroupView.tsx'

/** The workers of an endpoint, or of all, as cards; the drawer of one is opened by the address. */
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
  const toPart = useCallback(
    (part: DrawerPart) => address.with({ part: part === 'about' ? undefined : part }),
    [address.with],
  )
  const isAlone = endpointId !== undefined
  const one = endpoints.find(({ id }) => id === filter.endpointId)
  if (!loaded) return <SkeletonRows rows={8} />
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <WorkerFilters filter={filter} endpoints={isAlone ? [] : endpoints} onChange={address.change} />
      </div>
      {groups.length === 0 && (
        <NoWorkers
          endpoint={one}
          filter={filter}
          hasEndpoints={endpoints.length > 0}
          onClear={() => address.change({ state: undefined, endpoint: undefined })}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the cards are links; arrows only move between them */}
      <div className="flex flex-col gap-6" onKeyDown={moveBetweenCards}>
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

function moveBetweenCards(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event
  if (!(target instanceof HTMLElement) || target.dataset.card === undefined) return
  const cards = [...currentTarget.querySelectorAll<HTMLElement>('[data-card]')]
  const next = nextCard(
    cards.map((card) => card.getBoundingClientRect()),
    cards.indexOf(target),
    key,
  )
  if (next === undefined) return
  event.preventDefault()
  cards[next]?.focus()
}
