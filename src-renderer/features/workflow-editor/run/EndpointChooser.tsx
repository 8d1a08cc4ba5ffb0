import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { Link } from 'wouter'
import { isStandIn, takesWorkflows } from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { CONTROL } from '../../../ui/form/control.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { endpointState } from '../../endpoints/endpoint-state.ts'
import { useRuns, useTab } from '../store/editor-context.ts'
import { CHOSEN_ENDPOINT, chooseEndpoint, firstEndpoint, runEndpoints } from './run-endpoints.ts'
import { TakesWorkflows } from './TakesWorkflows.tsx'

// No endpoint can be called so.
const ALL = ':all'

/** Chooses the endpoint that runs go to, and says how it does. */
export function EndpointChooser() {
  const { platform } = useApp()
  const { runs } = useTab()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const loaded = useAppState(({ live }) => live.loaded)
  const chosen = useRuns((state) => state.endpointId)
  const known = useMemo(() => runEndpoints(endpoints), [endpoints])
  const isKnown = known.some(({ id }) => id === chosen)
  const [showsAll, setShowsAll] = useState(false)

  // The first time, or where the one that was chosen has been deleted meanwhile.
  useEffect(() => {
    if (!loaded || isKnown) return
    const first = firstEndpoint(known, platform.readPreference(CHOSEN_ENDPOINT))
    if (first !== chosen) runs.getState().set({ endpointId: first })
  }, [loaded, isKnown, chosen, known, platform, runs])

  if (loaded && known.length === 0)
    return (
      <span className="px-1">
        No endpoint takes graphs.{' '}
        <Link to={ADDRESS.catalog} className="text-accent hover:underline">
          Choose one from the catalog
        </Link>
      </span>
    )
  const graphs = known.filter(takesWorkflows)
  const rest = known.filter((one) => !takesWorkflows(one))
  const others = showsAll ? rest : rest.filter(({ id }) => id === chosen)
  const option = (id: string, more = '') => (
    <option key={id} value={id}>
      {id}
      {more}
    </option>
  )
  return (
    <div className="flex min-w-0 items-center gap-2">
      <select
        aria-label="Endpoint"
        value={chosen ?? ''}
        onChange={({ target }) => {
          if (target.value !== ALL) return chooseEndpoint({ platform, runs }, target.value)
          flushSync(() => setShowsAll(true))
          openAgain(target)
        }}
        className={`${CONTROL} h-7 max-w-64 px-1.5`}
      >
        {chosen === undefined && <option value="">Choose an endpoint</option>}
        {graphs.length > 0 && (
          <optgroup label="Take graphs">
            {graphs.map((one) => option(one.id, isStandIn(one) ? ' (stand-in without a model)' : ''))}
          </optgroup>
        )}
        {others.length > 0 && <optgroup label="Others">{others.map(({ id }) => option(id))}</optgroup>}
        {!showsAll && rest.length > others.length && <option value={ALL}>All endpoints…</option>}
      </select>
      {chosen !== undefined && isKnown && <EndpointState endpointId={chosen} />}
      {rest.some(({ id }) => id === chosen) && <TakesWorkflows key={chosen} endpointId={chosen ?? ''} />}
    </div>
  )
}

// With the longer list; a browser that cannot waits for another press.
function openAgain(select: HTMLSelectElement) {
  try {
    select.showPicker()
  } catch {
    select.focus()
  }
}

function EndpointState({ endpointId }: { readonly endpointId: string }) {
  const endpoint = useAppState(({ live }) => live.endpoints[endpointId])
  const workers = useAppState(({ live }) => live.workers)
  const hasOwn = useRuns(({ active }) => active.length > 0)
  if (endpoint === undefined) return null
  const state = endpointState(
    endpoint,
    Object.values(workers).filter((worker) => worker.endpointId === endpointId),
  )
  // Those of this tab are counted beside how they go.
  const detail = endpoint.inQueue === 0 || hasOwn ? undefined : `${endpoint.inQueue} in the queue`
  return (
    <Link to={ADDRESS.endpoint(endpointId)} className="hover:underline">
      <StateDot {...state} detail={detail} />
    </Link>
  )
}
