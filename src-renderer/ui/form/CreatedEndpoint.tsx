import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { ResponseOf } from '../../../src-main/app/client/calls.ts'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import { CommandLine, ErrorNotice, Said } from '../PageStates.tsx'
import { StateDot, type StateDotProps } from '../StateDot.tsx'

// The pull of an image reports each step, but emits no events.
const POLL_EVERY_MS = 1000

export function CreatedEndpoint({ made }: { readonly made: ResponseOf<'endpointCreate'> }) {
  const { id, name, key, workersMin, warning } = made
  const [, go] = useLocation()
  return (
    <div className="flex flex-col gap-4">
      <ShownKey endpointId={id} apiKey={key} />
      {warning !== undefined && <ErrorNotice error={warning} />}
      {workersMin > 0 && <FirstWorker endpointId={id} />}
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
    refetchInterval: POLL_EVERY_MS,
  })
  const { reason, ...dot } = firstWorker(data)
  return (
    <div role="status" aria-label="First worker" className="rounded-control border border-line px-3 py-2">
      <StateDot {...dot} />
      {reason !== undefined && (
        <p className="mt-1 break-words text-ink-2 first-letter:uppercase">
          <Said text={reason} />
        </p>
      )}
    </div>
  )
}

type Facts = {
  readonly worker: WorkerView | undefined
  readonly crash: Pick<FleetEvent, 'reason'> | undefined
  readonly throttledReason: string | undefined
}

function firstWorker(facts: Facts | undefined): StateDotProps & { readonly reason?: string | undefined } {
  const worker = facts?.worker
  if (worker?.state === 'idle' || worker?.state === 'running')
    return { tone: 'completed', text: 'The first worker is ready' }
  if (facts?.crash !== undefined)
    return { tone: 'failed', text: 'The first worker ended unexpectedly', reason: facts.crash.reason }
  if (facts?.throttledReason !== undefined)
    return { tone: 'timed-out', text: 'There is no capacity for the first worker', reason: facts.throttledReason }
  return { tone: 'running', text: 'The first worker is starting', pulses: true, reason: worker?.reason }
}

/** The key of a new endpoint; it is shown only once. */
export function ShownKey({ endpointId, apiKey }: { readonly endpointId: string; readonly apiKey: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p>
        The key of <strong className="font-semibold">{endpointId}</strong>. It works only for this endpoint and is shown
        only once: store it where your client finds it.
      </p>
      <CommandLine command={apiKey} />
    </div>
  )
}

export function freeName(id: string, taken: readonly string[]): string {
  if (!taken.includes(id)) return id
  const next = Array.from({ length: taken.length + 1 }, (_name, at) => `${id}-${at + 2}`)
  return next.find((name) => !taken.includes(name)) ?? id
}
