import { queryOptions } from '@tanstack/react-query'
import type { WorkflowView } from '../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../api-client/client.ts'

export const WORKFLOWS = ['workflows'] as const

export type LibraryList = { readonly workflows: readonly WorkflowView[] }

export const workflowsQuery = (client: ApiClient) =>
  queryOptions({ queryKey: WORKFLOWS, queryFn: ({ signal }) => client.call('workflowList', { signal }) })

export const templatesQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['workflow-templates'],
    queryFn: ({ signal }) => client.call('workflowTemplates', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const versionsQuery = (client: ApiClient, workflowId: string) =>
  queryOptions({
    queryKey: ['workflow-versions', workflowId],
    queryFn: ({ signal }) => client.call('workflowVersions', { path: { workflowId }, signal }),
  })

export const publishedListQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['published'], queryFn: ({ signal }) => client.call('publishedList', { signal }) })

export const publishedQuery = (client: ApiClient, graphId: string) =>
  queryOptions({
    queryKey: ['published', graphId],
    queryFn: ({ signal }) => client.call('publishedRead', { path: { graphId }, signal }),
  })
