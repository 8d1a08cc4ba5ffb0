import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { WorkflowServer } from '../../../src-main/contract/workflows.ts'
import { type AppServices, useApp } from '../../store/app-context.ts'

// Nobody starts one more often, and each look is a request to whatever listens there.
const LOOK_AFTER_MS = 10_000

const serversQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['workflow-servers'],
    queryFn: ({ signal }) => client.call('workflowServers', { signal }),
    staleTime: LOOK_AFTER_MS,
  })

/**
 * The ComfyUI servers that answer on this machine; undefined while nobody knows. Looked for when it is first drawn and
 * when somebody comes back to the window, as from the terminal where one was started.
 */
export function useWorkflowServers(): readonly WorkflowServer[] | undefined {
  const { client } = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    const look = () => void queries.prefetchQuery(serversQuery(client))
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [client, queries])
  return useQuery(serversQuery(client)).data?.servers
}
