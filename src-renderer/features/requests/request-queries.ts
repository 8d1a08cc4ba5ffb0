import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api-client/client.ts'

const REQUESTS_SHOWN = 50

/** Read once, because hints should not change while typing. */
export const inputHintsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['input-hints', endpointId],
    queryFn: ({ signal }) => client.call('inputHintsRead', { path: { endpointId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const jobInputQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    queryKey: ['job-input', jobId],
    queryFn: ({ signal }) => client.call('jobRead', { path: { jobId }, signal }),
    select: ({ input, endpointId }) => ({ input, endpointId }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const savedRequestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['saved-requests', endpointId],
    queryFn: ({ signal }) => client.call('savedRequestList', { path: { endpointId }, signal }),
  })

// Missed or refused times emit no event.
const SCHEDULES_MS = 5000

export const schedulesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['schedules', endpointId],
    queryFn: ({ signal }) => client.call('scheduleList', { query: { endpoint: endpointId }, signal }),
    refetchInterval: SCHEDULES_MS,
  })

// Batches are polled, because only their jobs emit events.
const BATCHES_MS = 2000

export const batchesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['batches', endpointId],
    queryFn: ({ signal }) => client.call('batchList', { query: { endpoint: endpointId }, signal }),
    refetchInterval: BATCHES_MS,
  })

export const batchQuery = (client: ApiClient, batchId: string) =>
  queryOptions({
    queryKey: ['batch', batchId],
    queryFn: ({ signal }) => client.call('batchRead', { path: { batchId }, signal }),
    refetchInterval: BATCHES_MS,
  })

export const webRequestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['web-requests', endpointId],
    queryFn: ({ signal }) =>
      client.call('endpointRequests', { path: { endpointId }, query: { limit: REQUESTS_SHOWN }, signal }),
  })

export const loadTestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['load-tests', endpointId],
    queryFn: ({ signal }) => client.call('loadTestList', { path: { endpointId }, signal }),
  })
