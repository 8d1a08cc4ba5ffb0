import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../../api-client/client.ts'

/** The published graphs. Keys begin with `published`, by which they are read again. */
export const publishedListQuery = (client: ApiClient) =>
  queryOptions({ queryKey: ['published'], queryFn: ({ signal }) => client.call('publishedList', { signal }) })

/** One of them, with its payload. */
export const publishedQuery = (client: ApiClient, graphId: string) =>
  queryOptions({
    queryKey: ['published', graphId],
    queryFn: ({ signal }) => client.call('publishedRead', { path: { graphId }, signal }),
  })
