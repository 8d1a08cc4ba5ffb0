import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { CallArguments, Operation, ResponseOf } from '../../src-main/app/client/calls.ts'

/** A query whose answer is the response of one call. */
export const read = <Name extends Operation>(
  client: { readonly call: <Name extends Operation>(operation: Name, args?: never) => Promise<ResponseOf<Name>> },
  queryKey: QueryKey,
  operation: Name,
  args?: Omit<CallArguments<Name>, 'signal'>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => client.call(operation, { ...args, signal } as never) })
