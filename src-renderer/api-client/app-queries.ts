/** Releases and variables have no events, so changes from elsewhere are polled. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { read } from '../browser/read.ts'
import { ApiError } from './api-error.ts'
import type { ApiClient } from './client.ts'

export type AppTarget = { readonly app: string; readonly environment: string }

const POLL = { refetchInterval: 5000 }

export const appsQuery = (client: ApiClient) => queryOptions({ ...read(client, ['apps'], 'appList'), ...POLL })

export const environmentQuery = (client: ApiClient, { app, environment }: AppTarget) =>
  queryOptions({
    ...read(client, ['environment', app, environment], 'environmentRead', { path: { app, environment } }),
    ...POLL,
  })

export const releaseQuery = (client: ApiClient, { app, environment }: AppTarget, number: number) =>
  read(client, ['release', app, environment, number], 'releaseRead', {
    path: { app, environment, number: String(number) },
  })

export const releasePlanQuery = (client: ApiClient, { app, environment }: AppTarget, number: number) => {
  const path = { app, environment, number: String(number) }
  return queryOptions({
    ...read(client, ['release-plan', app, environment, number], 'releasePlan', { path }),
    gcTime: 0,
  })
}

export const projectsQuery = (client: ApiClient) =>
  queryOptions({ ...read(client, ['projects'], 'projectList'), ...POLL })

export const projectQuery = (client: ApiClient, projectId: string) =>
  queryOptions({ ...read(client, ['project', projectId], 'projectRead', { path: { projectId } }), ...POLL })

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
    ...read(client, ['folders', path], 'folderList', { query: { path } }),
    placeholderData: keepPreviousData,
    retry: false,
  })

export const examplesQuery = (client: ApiClient) =>
  queryOptions({ ...read(client, ['examples'], 'exampleList'), staleTime: Number.POSITIVE_INFINITY })

async function orNull<T>(code: 'NO_BUILD' | 'NO_PREVIEW', request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return null
    throw error
  }
}
