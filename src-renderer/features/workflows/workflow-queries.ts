import { queryOptions } from '@tanstack/react-query'
import type { WorkflowView } from '../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../api-client/client.ts'

export const WORKFLOWS = ['workflows'] as const

export type LibraryList = { readonly workflows: readonly WorkflowView[] }

export const workflowsQuery = (client: ApiClient) =>
  queryOptions({ queryKey: WORKFLOWS, queryFn: ({ signal }) => client.call('workflowList', { signal }) })
