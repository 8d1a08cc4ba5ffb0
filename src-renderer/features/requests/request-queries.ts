/** What the pages of requests ask for. */
import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api-client/client.ts'

const REQUESTS_SHOWN = 50

/**
 * Fields and values of the newest inputs. They are read once: an editor whose hints change under the hand is a
 * nuisance.
 */
export const inputHintsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['input-hints', endpointId],
    queryFn: ({ signal }) => client.call('inputHintsRead', { path: { endpointId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A job with its input. */
export const jobInputQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    queryKey: ['job-input', jobId],
    queryFn: ({ signal }) => client.call('jobRead', { path: { jobId }, signal }),
    select: ({ input, endpointId }) => ({ input, endpointId }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The saved requests of an endpoint. */
export const savedRequestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['saved-requests', endpointId],
    queryFn: ({ signal }) => client.call('savedRequestList', { path: { endpointId }, signal }),
  })

// A time that was missed or refused is no event.
const SCHEDULES_MS = 5000

/** The schedules of an endpoint. */
export const schedulesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['schedules', endpointId],
    queryFn: ({ signal }) => client.call('scheduleList', { query: { endpoint: endpointId }, signal }),
    refetchInterval: SCHEDULES_MS,
  })

// Its jobs tell of themselves, the counts of a batch do not.
const BATCHES_MS = 2000

/** The batches of an endpoint, newest first. */
export const batchesQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['batches', endpointId],
    queryFn: ({ signal }) => client.call('batchList', { query: { endpoint: endpointId }, signal }),
    refetchInterval: BATCHES_MS,
  })

/** One batch, with its failures. */
export const batchQuery = (client: ApiClient, batchId: string) =>
  queryOptions({
    queryKey: ['batch', batchId],
    queryFn: ({ signal }) => client.call('batchRead', { path: { batchId }, signal }),
    refetchInterval: BATCHES_MS,
  })

/** The newest requests to a load-balanced endpoint. */
export const webRequestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['web-requests', endpointId],
    queryFn: ({ signal }) =>
      client.call('endpointRequests', { path: { endpointId }, query: { limit: REQUESTS_SHOWN }, signal }),
  })

/** The load tests of an endpoint, newest first. */
export const loadTestsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    queryKey: ['load-tests', endpointId],
    queryFn: ({ signal }) => client.call('loadTestList', { path: { endpointId }, signal }),
  })
