/** Releases and variables have no events, so changes from elsewhere are polled. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import type { ApiClient } from './client.ts'

export type AppTarget = { readonly app: string; readonly environment: string }

const POLL_EVERY_MS = 5000

export const appsQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['apps'],
    queryFn: ({ signal }) => client.call('appList', { signal }),
    refetchInterval: POLL_EVERY_MS,
  })

export const environmentQuery = (client: ApiClient, { app, environment }: AppTarget) =>
  queryOptions({
    queryKey: ['environment', app, environment],
    queryFn: ({ signal }) => client.call('environmentRead', { path: { app, environment }, signal }),
    refetchInterval: POLL_EVERY_MS,
  })

export const releaseQuery = (client: ApiClient, { app, environment }: AppTarget, number: number) =>
  queryOptions({
    queryKey: ['release', app, environment, number],
    queryFn: ({ signal }) => client.call('releaseRead', { path: { app, environment, number: String(number) }, signal }),
  })

export const releasePlanQuery = (client: ApiClient, { app, environment }: AppTarget, number: number) =>
  queryOptions({
    queryKey: ['release-plan', app, environment, number],
    queryFn: ({ signal }) => client.call('releasePlan', { path: { app, environment, number: String(number) }, signal }),
    gcTime: 0,
  })

export const projectsQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['projects'],
    queryFn: ({ signal }) => client.call('projectList', { signal }),
    refetchInterval: POLL_EVERY_MS,
  })

export const projectQuery = (client: ApiClient, projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId],
    queryFn: ({ signal }) => client.call('projectRead', { path: { projectId }, signal }),
    refetchInterval: POLL_EVERY_MS,
  })

export const buildQuery = (client: ApiClient, projectId: string) =>
  queryOptions({
    queryKey: ['build', projectId],
    queryFn: ({ signal }) => orNull('NO_BUILD', client.call('buildRead', { path: { projectId }, signal })),
  })

export const previewQuery = (client: ApiClient, projectId: string) =>
  queryOptions({
    queryKey: ['preview', projectId],
    queryFn: ({ signal }) => orNull('NO_PREVIEW', client.call('previewRead', { path: { projectId }, signal })),
  })

export const foldersQuery = (client: ApiClient, path: string | undefined) =>
  queryOptions({
    queryKey: ['folders', path],
    queryFn: ({ signal }) => client.call('folderList', { query: { path }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })

export const examplesQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['examples'],
    queryFn: ({ signal }) => client.call('exampleList', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

async function orNull<T>(code: 'NO_BUILD' | 'NO_PREVIEW', request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return null
    throw error
  }
}
