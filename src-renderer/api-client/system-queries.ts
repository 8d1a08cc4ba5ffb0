/** What the status bar, the system page and the settings ask for. Keys begin with the kind of data. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from './client.ts'

const MACHINE_EVERY_MS = 30_000
// What is being done tells how far it has come.
const BUSY_EVERY_MS = 1000
// Programs are run for a check, so going back and forth between tabs does not begin anew.
const CHECKED_FOR_MS = 30_000

// How many events are read at once.
const EVENTS_A_PAGE = 500
// How many changes are read at once: a look, and not a search.
const CHANGES_A_PAGE = 20

/**
 * The engine, the cards, the slots for workers. @param workers how many there are: who holds a card changes with them
 */
export const machineQuery = (client: ApiClient, workers: number) =>
  queryOptions({
    queryKey: ['machine', workers],
    queryFn: ({ signal }) => client.call('machineRead', { signal }),
    placeholderData: keepPreviousData,
    staleTime: MACHINE_EVERY_MS,
    refetchInterval: MACHINE_EVERY_MS,
  })

/** The engine and the cards as they are in this moment. */
export const freshMachineQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['fresh-machine'],
    queryFn: ({ signal }) => client.call('machineRead', { query: { fresh: 'true' }, signal }),
  })

/** A program that asks to be signed in; asked again until it has been. */
export const signInRequestQuery = (client: ApiClient, requestId: string) =>
  queryOptions({
    queryKey: ['sign-in-request', requestId],
    queryFn: ({ signal }) => client.call('signInRequestRead', { path: { requestId }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'APPROVED' ? BUSY_EVERY_MS : false),
  })

/** The checks; asked again by themselves while something is being done. */
export const doctorQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => client.call('doctorRead', { signal }),
    staleTime: CHECKED_FOR_MS,
    refetchInterval: ({ state }) => (state.data?.rows.some(({ busy }) => busy !== undefined) ? BUSY_EVERY_MS : false),
  })

/** Versions of what the service stands on. */
export const versionsQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['versions'],
    queryFn: ({ signal }) => client.call('versionsRead', { signal }),
    staleTime: CHECKED_FOR_MS,
  })

/** What takes disk. */
export const diskQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['disk'], queryFn: ({ signal }) => client.call('diskRead', { signal }) })

/** Which events of the fleet. */
export type EventFilter = { readonly kinds: string | undefined; readonly endpoint: string | undefined }

/**
 * Events of the fleet, newest first, page by page.
 * @param upTo number of the newest one that was heard of: a newer one is another list
 */
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

/** The settings of the service. */
export const settingsQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => client.call('settingsRead', { signal }) })

/** Stored credentials of registries, without passwords. */
export const registriesQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['registries'], queryFn: ({ signal }) => client.call('registryList', { signal }) })

/** Keys with a name and a role. */
export const namedKeysQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['named-keys'], queryFn: ({ signal }) => client.call('namedKeyList', { signal }) })

/** Who changed what, newest first, page by page. */
export const auditQuery = (client: ApiClient) =>
  infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      client.call('auditList', { query: { before: pageParam, limit: CHANGES_A_PAGE }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ entries }) => (entries.length < CHANGES_A_PAGE ? undefined : entries.at(-1)?.id),
  })

/** How many browsers are signed in. */
export const sessionsQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['sessions'], queryFn: ({ signal }) => client.call('sessionList', { signal }) })
