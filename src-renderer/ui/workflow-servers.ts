import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { NodeTypesResponse, WorkflowServer } from '../../src-main/contract/workflows.ts'
import { read } from '../browser/read.ts'
import { type AppServices, useApp } from '../store/app-context.ts'

// ms. Servers start rarely, and each check sends a request to whatever listens there.
const CHECK_AFTER_MS = 10_000

const serversQuery = (client: AppServices['client']) =>
  queryOptions({ ...read(client, ['workflow-servers'], 'workflowServers'), staleTime: CHECK_AFTER_MS })

/**
 * Undefined while unknown. Checks on mount and on window focus, for example after a server was started in a terminal.
 */
export function useWorkflowServers(): readonly WorkflowServer[] | undefined {
  const { client } = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = () => void queries.prefetchQuery(serversQuery(client))
    addEventListener('focus', refresh)
    return () => removeEventListener('focus', refresh)
  }, [client, queries])
  return useQuery(serversQuery(client)).data?.servers
}

export async function readNodeTypes(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  endpointId: string,
): Promise<NodeTypesResponse> {
  const read = await client.call('nodeTypesFetch', { path: { endpointId } })
  store.getState().noteNodeTypes(endpointId)
  return read
}
