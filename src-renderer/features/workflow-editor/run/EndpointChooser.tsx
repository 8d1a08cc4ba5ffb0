import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { isStandIn, takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { endpointState } from '../../endpoints/endpoint-state.ts'
import { useRuns, useTab } from '../store/editor-store.ts'
import { CHOSEN_ENDPOINT, chooseEndpoint, firstEndpoint, runEndpoints } from '../store/run-store.ts'

export function EndpointChooser() {
  const { platform } = useApp()
  const { runs } = useTab()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const loaded = useAppState(({ live }) => live.loaded)
  const chosen = useRuns((state) => state.endpointId)
  const known = useMemo(() => runEndpoints(endpoints), [endpoints])
  const isKnown = known.some(({ id }) => id === chosen)
  const [showsAll, setShowsAll] = useState(false)

  // The first time, or if the chosen endpoint was deleted meanwhile.
  useEffect(() => {
    if (!loaded || isKnown) return
    const first = firstEndpoint(known, platform.readPreference(CHOSEN_ENDPOINT))
    if (first !== chosen) runs.getState().set({ endpointId: first })
  }, [loaded, isKnown, chosen, known, platform, runs])

  if (loaded && known.length === 0)
    return (
      <span className="px-1">
        No endpoint takes workflows.{' '}
        <Link to={ADDRESS.catalog} className="text-accent underline">
          Choose one from the catalog
        </Link>
      </span>
    )
  const graphs = known.filter(takesWorkflows)
  const rest = known.filter((one) => !takesWorkflows(one))
  const others = showsAll ? rest : rest.filter(({ id }) => id === chosen)
  const nameOf = (one: LiveEndpoint) => (isStandIn(one) ? `${one.id} (stand-in without a model)` : one.id)
  const choices = [
    ...graphs.map((one) => ({ value: one.id, label: nameOf(one), group: 'Take workflows' })),
    ...others.map(({ id }) => ({ value: id, label: id, group: 'Others' })),
  ]
  const more = { label: 'All endpoints…', onMore: () => setShowsAll(true) }
  return (
    <div className="flex min-w-0 items-center gap-2">
      <Select
        aria-label="Endpoint"
        choices={choices}
        value={chosen ?? ''}
        {...(chosen === undefined ? { none: 'Choose an endpoint' } : {})}
        onChange={(id) => id !== '' && chooseEndpoint({ platform, runs }, id)}
        more={rest.length > others.length ? more : undefined}
        className="max-w-64"
      />
      {chosen !== undefined && isKnown && <EndpointState endpointId={chosen} />}
      {rest.some(({ id }) => id === chosen) && <TakesWorkflows key={chosen} endpointId={chosen ?? ''} />}
    </div>
  )
}

function EndpointState({ endpointId }: { readonly endpointId: string }) {
  const endpoint = useAppState(({ live }) => live.endpoints[endpointId])
  const workers = useAppState(({ live }) => live.workers)
  const hasOwn = useRuns(({ active }) => active.length > 0)
  if (endpoint === undefined) return null
  const own = Object.values(workers).filter((worker) => worker.endpointId === endpointId)
  const state = endpointState(endpoint, own)
  const detail = endpoint.inQueue === 0 || hasOwn ? undefined : `${endpoint.inQueue} in the queue`
  return (
    <Link to={ADDRESS.endpoint(endpointId)} className="hover:underline">
      <StateDot {...state} detail={detail} />
    </Link>
  )
}

function TakesWorkflows({ endpointId }: { readonly endpointId: string }) {
  const { client, store } = useApp()
  const change = useMutation({
    mutationFn: () => client.call('endpointUpdate', { path: { endpointId }, body: { workflows: {} } }),
    onError: ({ message }) => store.getState().notify({ kind: 'error', text: message }),
  })
  return (
    <Button
      disabled={change.isPending}
      title={`The workers of ${endpointId} are not known to run graphs. This turns on its setting "Takes workflows".`}
      onClick={() => change.mutate()}
    >
      It takes workflows
    </Button>
  )
}
