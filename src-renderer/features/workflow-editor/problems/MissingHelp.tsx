import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { CatalogEntry } from '../../../../src-main/contract/catalog.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { type NodeTypes, typesHere } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { catalogQuery } from '../../../api-client/queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { createNodeTypesCache } from '../files/node-types.ts'
import { useRuns, useTab } from '../store/editor-store.ts'
import { chooseEndpoint } from '../store/run-store.ts'
import type { Missing } from './find-problems.ts'

// An endpoint's classes change when somebody installs something, not while a panel is open; ms.
const STALE_AFTER_MS = 60_000

/** Loaded only when shown, since the lists are long. */
export function MissingHelp({ missing }: { readonly missing: Missing }) {
  const { client, platform } = useApp()
  const { runs } = useTab()
  const chosen = useRuns(({ endpointId }) => endpointId)
  const endpoints = useAppState(useShallow(({ live }) => Object.values(live.endpoints).filter(takesWorkflows)))
  const { kind, name } = missing
  const { data: catalog } = useQuery({ ...catalogQuery(client), staleTime: STALE_AFTER_MS })
  const { data: found } = useQuery({
    queryKey: ['who-has', kind, name, endpoints.map(({ id, updatedAt }) => [id, updatedAt])],
    queryFn: async () => {
      const cache = createNodeTypesCache(client)
      const read = (endpointId?: string) => cache.read(endpointId).catch((): NodeTypes => new Map())
      const has = await Promise.all(endpoints.map(async (one) => endpointHas(missing, one, await read(one.id))))
      const owners = endpoints.filter((_one, at) => has[at]).map((one) => ({ id: one.id, name: one.name }))
      return { owners, builtIn: await read() }
    },
    staleTime: STALE_AFTER_MS,
  })
  const others = found?.owners.filter(({ id }) => id !== chosen)
  const entries = entriesWith(missing, catalog?.entries ?? [], found?.builtIn ?? new Map())
  if (others === undefined || catalog === undefined)
    return <p className="text-small text-ink-2">Searching {endpoints.length} endpoints and the catalog.</p>
  return (
    <ul className="flex flex-col gap-1 text-small">
      {others.map((endpoint) => (
        <li key={endpoint.id} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 break-words">Endpoint {endpoint.name} has it.</span>
          <Button onClick={() => chooseEndpoint({ platform, runs }, endpoint.id)}>Use {endpoint.name}</Button>
        </li>
      ))}
      {entries.map((entry) => (
        <li key={entry.id}>
          In the catalog:{' '}
          <Link to={`${ADDRESS.catalog}?entry=${encodeURIComponent(entry.id)}`} className="text-accent underline">
            {entry.name}
          </Link>
          {entry.missing.length > 0 && ' (this machine lacks something for it; see there)'}
        </li>
      ))}
      {others.length === 0 && entries.length === 0 && (
        <li className="text-ink-2">
          {kind === 'class'
            ? 'No other endpoint here has it. Connect a ComfyUI server that has the extension of this class from the '
            : 'No other endpoint here has it, and neither does the catalog. Look for another worker in the '}
          <Link to={ADDRESS.catalog} className="text-accent underline">
            catalog
          </Link>
          .
        </li>
      )}
    </ul>
  )
}

type WorkflowEndpoint = Pick<LiveEndpoint, 'id' | 'name' | 'workflows'>

function endpointHas({ kind, name }: Missing, { workflows }: WorkflowEndpoint, types: NodeTypes): boolean {
  if (kind === 'class') return typesHere(types).has(name)
  if (workflows?.models !== undefined) return workflows.models.includes(name)
  // A server lists its model files as choices of its loaders.
  return [...types.values()].some(({ inputs }) => inputs.some(({ choices }) => choices?.includes(name)))
}

/**
 * Models match by list or example, classes by the entry's server; entries with their own model are excluded, as users
 * choose them for it.
 */
function entriesWith({ kind, name }: Missing, entries: readonly CatalogEntry[], builtIn: NodeTypes) {
  if (kind === 'class')
    return entries.filter(({ classes, model }) => classes === 'comfyui' && model === undefined && builtIn.has(name))
  const quoted = JSON.stringify(name)
  return entries.filter(({ settings, example }) =>
    [settings, example].some((part) => JSON.stringify(part).includes(quoted)),
  )
}
