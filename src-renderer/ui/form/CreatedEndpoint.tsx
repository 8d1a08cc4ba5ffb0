import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import { ErrorNotice } from '../ErrorNotice.tsx'
import { StateDot, type StateDotProps } from '../StateDot.tsx'
import { ShownKey } from './ShownKey.tsx'

/** An endpoint that was made just now. */
export type CreatedEndpointProps = {
  readonly id: string
  readonly name: string
  readonly apiKey: string
  /** Whether its first worker starts at once. */
  readonly starts: boolean
  /** Why this machine could run no worker of it, if that is so. */
  readonly warning?: string | undefined
}

// The pull of an image is told step by step, and no event says so.
const LOOK_EVERY_MS = 1000

/** Its key, how its first worker comes up, and the way to it. */
export function CreatedEndpoint({ id, name, apiKey, starts, warning }: CreatedEndpointProps) {
  const [, go] = useLocation()
  return (
    <div className="flex flex-col gap-4">
      <ShownKey endpointId={id} apiKey={apiKey} />
      {warning !== undefined && <ErrorNotice error={warning} />}
      {starts && <FirstWorker endpointId={id} />}
      <Button kind="main" className="self-end" onClick={() => go(ADDRESS.endpoint(id))}>
        Open {name}
      </Button>
    </div>
  )
}

function FirstWorker({ endpointId }: { readonly endpointId: string }) {
  const { client } = useApp()
  const { data } = useQuery({
    queryKey: ['first-worker', endpointId],
    queryFn: async ({ signal }) => {
      const query = { endpoint: endpointId }
      const [{ workers }, endpoint, { events }] = await Promise.all([
        client.call('workerList', { query, signal }),
        client.call('endpointRead', { path: { endpointId }, signal }),
        client.call('fleetEventList', { query: { ...query, kinds: 'crash', limit: 1 }, signal }),
      ])
      return { worker: workers.at(-1), crash: events[0], throttledReason: endpoint.throttledReason }
    },
    refetchInterval: LOOK_EVERY_MS,
  })
  const { reason, ...dot } = firstWorker(data)
  return (
    <div role="status" aria-label="First worker" className="rounded-control border border-line px-3 py-2">
      <StateDot {...dot} />
      {reason !== undefined && <p className="mt-1 break-words text-ink-2 first-letter:uppercase">{reason}</p>}
    </div>
  )
}

type Facts = {
  readonly worker: WorkerView | undefined
  readonly crash: Pick<FleetEvent, 'reason'> | undefined
  readonly throttledReason: string | undefined
}

/** How the first worker of an endpoint does, with the reason where it is not there. */
function firstWorker(facts: Facts | undefined): StateDotProps & { readonly reason?: string | undefined } {
  const worker = facts?.worker
  if (worker?.state === 'idle' || worker?.state === 'running')
    return { tone: 'completed', word: 'The first worker is ready' }
  if (facts?.crash !== undefined)
    return { tone: 'failed', word: 'The first worker ended by itself', reason: facts.crash.reason }
  if (facts?.throttledReason !== undefined)
    return { tone: 'timed-out', word: 'The first worker finds no place', reason: facts.throttledReason }
  return { tone: 'running', word: 'The first worker starts', pulses: true, reason: worker?.reason }
}
