import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { Operation } from '../../src-main/app/client/calls.ts'
import type { ApiClient, PageArguments } from './client.ts'

/** A query whose answer is the response of one call. */
export const read = <Name extends Operation>(
  client: Pick<ApiClient, 'call'>,
  queryKey: QueryKey,
  operation: Name,
  args?: Omit<PageArguments<Name>, 'signal'>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => client.call(operation, { ...args, signal } as never) })
