import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { read } from '../browser/read.ts'
import type { ApiClient } from './client.ts'

const MACHINE_EVERY_MS = 30_000
const BUSY_EVERY_MS = 1000
// Checks run programs, so switching tabs does not repeat them.
const CHECKED_FOR_MS = 30_000

const EVENTS_A_PAGE = 500
const CHANGES_A_PAGE = 20

/**
 * Engine, GPUs and worker slots.
 * @param workers their number, since GPU holders change with it
 */
export const machineQuery = (client: ApiClient, workers: number) =>
  queryOptions({
    ...read(client, ['machine', workers], 'machineRead'),
    placeholderData: keepPreviousData,
    staleTime: MACHINE_EVERY_MS,
    refetchInterval: MACHINE_EVERY_MS,
  })

export const freshMachineQuery = (client: ApiClient) =>
  read(client, ['fresh-machine'], 'machineRead', { query: { fresh: 'true' } })

export const signInRequestQuery = (client: ApiClient, requestId: string) =>
  queryOptions({
    ...read(client, ['sign-in-request', requestId], 'signInRequestRead', { path: { requestId } }),
    refetchInterval: ({ state }) => (state.data?.status === 'APPROVED' ? BUSY_EVERY_MS : false),
  })

export const doctorQuery = (client: ApiClient) =>
  queryOptions({
    ...read(client, ['doctor'], 'doctorRead'),
    staleTime: CHECKED_FOR_MS,
    refetchInterval: ({ state }) => (state.data?.rows.some(({ busy }) => busy !== undefined) ? BUSY_EVERY_MS : false),
  })

export const versionsQuery = (client: ApiClient) =>
  queryOptions({ ...read(client, ['versions'], 'versionsRead'), staleTime: CHECKED_FOR_MS })

export const diskQuery = (client: ApiClient) => read(client, ['disk'], 'diskRead')

export type EventFilter = { readonly kinds: string | undefined; readonly endpoint: string | undefined }

/** @param upTo newest known event number; a newer one is a new list */
export const fleetEventsQuery = (client: ApiClient, filter: EventFilter, upTo: number) =>
  infiniteQueryOptions({
    queryKey: ['fleet-events', filter, upTo],
    queryFn: ({ pageParam, signal }) =>
      client.call('fleetEventList', { query: { ...filter, before: pageParam, limit: EVENTS_A_PAGE }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ events }) => (events.length < EVENTS_A_PAGE ? undefined : events.at(-1)?.id),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

export const settingsQuery = (client: ApiClient) => read(client, ['settings'], 'settingsRead')

export const registriesQuery = (client: ApiClient) => read(client, ['registries'], 'registryList')

export const namedKeysQuery = (client: ApiClient) => read(client, ['named-keys'], 'namedKeyList')

export const auditQuery = (client: ApiClient) =>
  infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      client.call('auditList', { query: { before: pageParam, limit: CHANGES_A_PAGE }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ entries }) => (entries.length < CHANGES_A_PAGE ? undefined : entries.at(-1)?.id),
  })

export const sessionsQuery = (client: ApiClient) => read(client, ['sessions'], 'sessionList')
