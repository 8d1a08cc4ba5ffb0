/** What the pages of workflows ask for: the library and published graphs. Keys begin with the kind of data. */
import { queryOptions } from '@tanstack/react-query'
import type { WorkflowView } from '../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../api-client/client.ts'

/** Key of the list of workflows. */
export const WORKFLOWS = ['workflows'] as const

/** What the service answers for the list of workflows. */
export type LibraryList = { readonly workflows: readonly WorkflowView[] }

/** The workflows of the library. */
export const workflowsQuery = (client: ApiClient) =>
  queryOptions({ queryKey: WORKFLOWS, queryFn: ({ signal }) => client.call('workflowList', { signal }) })

/** The templates that come along; they stay as they are while the service runs. */
export const templatesQuery = (client: ApiClient) =>
  queryOptions({
    queryKey: ['workflow-templates'],
    queryFn: ({ signal }) => client.call('workflowTemplates', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The saved versions of a workflow. */
export const versionsQuery = (client: ApiClient, workflowId: string) =>
  queryOptions({
    queryKey: ['workflow-versions', workflowId],
    queryFn: ({ signal }) => client.call('workflowVersions', { path: { workflowId }, signal }),
  })

/** The published graphs. Keys begin with `published`, by which they are read again. */
export const publishedListQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['published'], queryFn: ({ signal }) => client.call('publishedList', { signal }) })

/** A published graph, with its payload. */
export const publishedQuery = (client: ApiClient, graphId: string) =>
  queryOptions({
    queryKey: ['published', graphId],
    queryFn: ({ signal }) => client.call('publishedRead', { path: { graphId }, signal }),
  })
