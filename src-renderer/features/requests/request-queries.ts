import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api-client/client.ts'
import { read } from '../../browser/read.ts'

const REQUESTS_SHOWN = 50

/** Read once, because hints should not change while typing. */
export const inputHintsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    ...read(client, ['input-hints', endpointId], 'inputHintsRead', { path: { endpointId } }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const jobInputQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    ...read(client, ['job-input', jobId], 'jobRead', { path: { jobId } }),
    select: ({ input, endpointId }) => ({ input, endpointId }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const savedRequestsQuery = (client: ApiClient, endpointId: string) =>
  read(client, ['saved-requests', endpointId], 'savedRequestList', { path: { endpointId } })

// Missed or refused times emit no event.
const SCHEDULES_MS = 5000

export const schedulesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    ...read(client, ['schedules', endpointId], 'scheduleList', { query: { endpoint: endpointId } }),
    refetchInterval: SCHEDULES_MS,
  })

// Batches are polled, because only their jobs emit events.
const BATCHES_MS = 2000

export const batchesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    ...read(client, ['batches', endpointId], 'batchList', { query: { endpoint: endpointId } }),
    refetchInterval: BATCHES_MS,
  })

export const batchQuery = (client: ApiClient, batchId: string) =>
  queryOptions({
    ...read(client, ['batch', batchId], 'batchRead', { path: { batchId } }),
    refetchInterval: BATCHES_MS,
  })

export const webRequestsQuery = (client: ApiClient, endpointId: string) =>
  read(client, ['web-requests', endpointId], 'endpointRequests', {
    path: { endpointId },
    query: { limit: REQUESTS_SHOWN },
  })

export const loadTestsQuery = (client: ApiClient, endpointId: string) =>
  read(client, ['load-tests', endpointId], 'loadTestList', { path: { endpointId } })
